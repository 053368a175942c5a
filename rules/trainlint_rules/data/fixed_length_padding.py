"""TRN112."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint_rules.data.idioms.tokenizing import (
    TOKENIZES,
    WANTS_ONE_SHAPE,
    is_short,
    not_for_training,
    pads_to_fixed_length,
)


class FixedLengthPadding(CallRule):
    """A tokenizer that pads every training row to the longest length there could be

    ## Why
    The model computes padding like any other token: embeddings, projections and attention of rows of 60 tokens that
    are padded to 512 are eight times the work, and most of the memory of the activations. Padded to the longest row
    of their batch, the same rows give the same loss, where padding is masked in the attention and in the labels.

    ## Example
    ```python
    from transformers import AutoTokenizer, DataCollatorWithPadding

    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")


    def encode(rows):
        return tokenizer(rows["text"], truncation=True, max_length=512, padding="max_length")


    def prepare(dataset):
        return dataset.map(encode, batched=True), DataCollatorWithPadding(tokenizer)
    ```

    ## Use instead
    ```python
    from transformers import AutoTokenizer, DataCollatorWithPadding

    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")


    def encode(rows):
        return tokenizer(rows["text"], truncation=True, max_length=512)


    def prepare(dataset):
        return dataset.map(encode, batched=True), DataCollatorWithPadding(tokenizer)
    ```

    Padding moves into the collate function: `DataCollatorWithPadding`, `DataCollatorForSeq2Seq` (labels too), or
    `tokenizer.pad(rows, padding="longest", pad_to_multiple_of=8)`. There is no fix, since the two must change together.

    ## Gain
    The share of padding in a batch, which only the lengths of the rows decide: not measured here. It is nothing where
    rows are cut to one length anyhow, as in pretraining on packed text.

    ## Confirmed by
    The mean of `attention_mask` over training batches: the share of tokens that are none.

    ## References
    - Padding and truncation: https://huggingface.co/docs/transformers/pad_truncation
    - Dynamic padding: https://huggingface.co/learn/llm-course/chapter3/2#dynamic-padding
    """

    code = "TRN112"
    name = "fixed-length-padding"
    severity = Severity.ADVICE
    in_tests = True
    sure = Confidence.LIKELY
    on = TOKENIZES
    unless = (is_short, *WANTS_ONE_SHAPE, not_for_training)
    message = "`{tokenizer}` pads every row to the maximum length, and the model computes on the padding"
    help = "pad to the longest row of each batch in the collate function"

    def found(self, site: Site) -> Match | None:
        """A tokenizer that pads to a fixed length."""
        return Match(site, fields={"tokenizer": site.text(site.call.func)}) if pads_to_fixed_length(site) else None
