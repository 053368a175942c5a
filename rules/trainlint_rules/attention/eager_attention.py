"""TRN702."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.signs import ATTENTION_WEIGHTS, FUSED_ATTENTION, GEMMA
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence


class EagerAttention(CallRule):
    """A model that is loaded with `attn_implementation="eager"`

    ## Why
    The eager implementation of Transformers multiplies queries with keys, softens the product and multiplies with the
    values in a kernel each, and stores the matrix of all queries by all keys for the backward pass. Without the
    argument the library takes `scaled_dot_product_attention`, which never stores that matrix, for each model that
    supports it.

    ## Example
    ```python
    from transformers import AutoModelForCausalLM


    def load(name):
        return AutoModelForCausalLM.from_pretrained(name, attn_implementation="eager")
    ```

    ## Use instead
    ```python
    from transformers import AutoModelForCausalLM


    def load(name):
        return AutoModelForCausalLM.from_pretrained(name, attn_implementation="sdpa")
    ```

    ## Confirmed by
    `aten::_softmax` between two `aten::bmm` in each layer of a profile.

    ## Gain
    Memory for activations that no longer grows with the square of the sequence, and less traffic; FlashAttention's
    authors measured up to three times the speed in training GPT-2 (arXiv 2205.14135). Not measured here; little for
    short sequences.

    ## References
    - Attention in Transformers: https://huggingface.co/docs/transformers/attention_interface
    - FlashAttention: https://arxiv.org/abs/2205.14135
    """

    code = "TRN702"
    name = "eager-attention"
    preview = True
    on = (".from_pretrained", ".from_config")
    sure = Confidence.LIKELY
    unless = (
        shows("the file uses attention weights, which only eager attention returns", ATTENTION_WEIGHTS),
        shows("the file names Gemma, whose authors recommend it in training", GEMMA),
        shows("the file names another implementation, to choose or to compare with", FUSED_ATTENTION),
    )
    message = "eager attention stores a matrix of all queries by all keys in each layer"
    help = 'leave `attn_implementation` out, or set it to `"sdpa"`'

    def found(self, site: Site) -> Match | None:
        """A model that is loaded with the literal."""
        given = argument(site.call, "attn_implementation")
        return Match(site.at(given)) if given is not None and constant(given) == "eager" else None
