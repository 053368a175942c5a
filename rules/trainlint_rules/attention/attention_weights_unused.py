"""TRN703."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint_rules.attention.idioms.attention_weights import (
    chosen,
    drops_weights,
    gives_all_three,
)
from trainlint_rules.attention.idioms.built import calls_of


class AttentionWeightsUnused(CallRule):
    """`nn.MultiheadAttention` computes attention weights that nobody reads

    ## Why
    `need_weights` is True by default: the module then multiplies queries with keys, softens the product and multiplies
    with the values in a kernel each, and stores the matrix of all queries by all keys, to return its average over the
    heads. With `need_weights=False` it calls `scaled_dot_product_attention`, which never stores that matrix. This is
    so in training, too, not only on the fast path for inference.

    ## Example
    ```python
    import torch
    from torch import nn


    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm = nn.LayerNorm(width)

        def forward(self, x, padding):
            attended, _ = self.attention(x, x, x, key_padding_mask=padding)
            return self.norm(x + attended)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm = nn.LayerNorm(width)

        def forward(self, x, padding):
            attended, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=False)
            return self.norm(x + attended)
    ```

    ## Confirmed by
    `aten::softmax` between two `aten::bmm` inside of the module, and after the fix
    `aten::scaled_dot_product_attention`.

    ## Gain
    Memory for activations that no longer grows with the square of the sequence, where a fused kernel takes the masks
    and the data type; the documentation of `nn.MultiheadAttention` says to set it "for best performance". Not measured
    here; nothing to speak of for sequences of some dozens of elements.

    ## References
    - `nn.MultiheadAttention`: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
    """

    code = "TRN703"
    name = "attention-weights-unused"
    on = ("torch.nn.MultiheadAttention", "torch.nn.modules.activation.MultiheadAttention")
    costs_steps = True
    unless = (chosen,)
    message = "`{called}` stores a matrix of attention weights that nobody reads"
    help = "pass `need_weights=False`"

    def found(self, site: Site) -> Iterator[Match]:
        """The calls of a module built here whose second result goes nowhere."""
        for place in calls_of(site.file, site.place):
            there = Site(site.file, place)
            if drops_weights(place) and gives_all_three(there.call):
                yield Match(there, fields={"called": there.text(there.call.func)})
