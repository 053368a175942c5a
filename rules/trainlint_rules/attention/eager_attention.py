"""TRN702."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_NEEDS_WEIGHTS = lazy(r"output_attentions|attn_?weights|attention_?weights|register_forward_hook|gemma", re.I)
"""What only the eager way gives, and models whose authors ask for it in training."""
_COMPARES = lazy(r"[\"'](sdpa|flash_attention_\d|flex_attention)[\"']")


class EagerAttention(Rule):
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

    ## Stays silent
    Where attention weights are asked for, which only the eager way returns; where another implementation stands beside
    it, as the one to choose or to compare with; for Gemma models, whose authors recommend it in training; in tests.

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
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"from_pretrained", "from_config"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find models that are loaded with the literal, in files that ask for no weights."""
        given = argument(site.call, "attn_implementation")
        if constant(given) != "eager" or is_test_path(site.path) or not isinstance(site.call.func, ast.Attribute):
            return
        if site.file.says(_NEEDS_WEIGHTS) or site.file.says(_COMPARES):
            return
        yield self.finding(
            site,
            "the eager attention stores a matrix of all queries by all keys in each layer; leave the choice to the "
            'library, or ask for "sdpa"',
            at=given,
            confidence=0.8,
        )
