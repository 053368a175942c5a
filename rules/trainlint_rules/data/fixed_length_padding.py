"""TRN112."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.names import argument, constant, last_name, names_in, position
from trainlint.analysis.syntax.reaching import single_value
from trainlint.finding import Finding, Heat, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_CALLS = frozenset({"tokenizer", "tokenize", "tok", "encode_plus", "batch_encode_plus", "pad"})
_IS_TOKENIZER = lazy(r"tokeni[sz]er|(^|\.)tok(\.|$)", re.IGNORECASE)
_WANTS_ONE_SHAPE = lazy(
    r"xla|\btpu|\bhpu\b|neuron|fp8|torch[._]compile|dynamo|cuda_?graph|static_|sequence_parallel|ulysses|"
    r"diffusers|CLIPText|pixel_values|instance_image|\bunet\b|\bvae\b",
    re.IGNORECASE,
)
"""Words of a file whose batches may have to be of one shape, or whose text encoder takes one length only."""
_SHORT = 64
"""Tokens up to which padding costs little."""
_HOT = {Heat.WORKER: 0.85, Heat.STEP: 0.85, Heat.INNER: 0.85}
_MAPPED = 0.8
_DEEPEST = 2
_LONGEST_CHAIN = 12
"""Steps of `load_dataset(...).filter(...).map(...)` that are followed."""


class FixedLengthPadding(Rule):
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

    ## Stays silent
    Where one shape is wanted: TPU and other compiled devices, `torch.compile`, CUDA graphs, FP8, sequence parallelism,
    text encoders of diffusion models; for lengths of 64 tokens or fewer; where the padding is somebody's choice, or
    stands behind a test; where the call does not run for training, or its rows are a split for tests or validation; for
    the second of two paddings to one length in a function, such as labels beside their inputs.

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
    heat_matters = False
    triggers = Triggers(calls=_CALLS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find tokenizers that pad rows of training data to a fixed length."""
        call = site.call
        if constant(argument(call, "padding")) != "max_length" or not _IS_TOKENIZER.search(ast.unparse(call.func)):
            return
        if _is_short(site) or _is_chosen(site) or _is_second(site) or site.file.says(_WANTS_ONE_SHAPE):
            return
        confidence = max(_HOT.get(site.heat.heat, 0.0), _MAPPED if _is_mapped(site.file, site.block, _DEEPEST) else 0.0)
        if confidence:
            yield self.finding(
                site.at(call, site.file.outline.module),
                "this pads each row to the greatest length, and the model computes the padding; pad to the longest row "
                "of a batch in the collate function instead",
                confidence=confidence,
            )


def _is_short(site: Site) -> bool:
    """Whether rows are padded to so few tokens, or to so few more than they have, that it costs little."""
    given = argument(site.call, "max_length")
    if given is None:
        return False
    made = single_value(given, site.block) or given
    if isinstance(made, ast.Call):
        return True  # the longest of the rows themselves, most likely
    found = constant(made)
    return isinstance(found, int) and found <= _SHORT


def _is_chosen(site: Site) -> bool:
    """Whether a test stands before the call, inside its function: where batches must be of one shape, for example."""
    return bool(site.file.conditions.around(site.block, early_exits=False))


def _is_second(site: Site) -> bool:
    """Whether the same function has padded to this length before, as inputs and their labels: one decision."""
    length = argument(site.call, "max_length")
    return length is not None and any(
        other.function is site.function
        and site.function is not None
        and position(other.call) < position(site.call)
        and constant(argument(other.call, "padding")) == "max_length"
        and (before := argument(other.call, "max_length")) is not None
        and ast.unparse(before) == ast.unparse(length)
        for other in site.calls(last_name(site.call.func))
    )


def _is_mapped(file: SemanticModel, block: Block, depth: int) -> bool:
    """Whether a dataset's `map` runs the function around a block, by itself or through one that calls it."""
    function = file.outline.enclosing(block)
    if function is None or not depth:
        return False
    for edge in file.graph.callers.get(function, []):
        call = edge.place.node
        if edge.passed and isinstance(call, ast.Call):
            if last_name(call.func) == "map" and function.name in names_in(call):
                return True
        elif _is_mapped(file, edge.place.block, depth - 1):
            return True
    return any(
        isinstance(place.node, ast.Call) and function.node in place.node.args and not _evaluates(place)
        for place in file.outline.calls.get("map", [])
    )


def _evaluates(place: Place) -> bool:
    """Whether what a `map` goes through was loaded as a split for tests or validation."""
    node: ast.AST | None = place.node
    for _ in range(_LONGEST_CHAIN):
        if isinstance(node, ast.Call):
            if last_name(node.func) == "load_dataset":
                split = constant(argument(node, "split"))
                return isinstance(split, str) and split.startswith(("test", "valid", "dev"))
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Name):
            node = single_value(node, place.block)
    return False
