"""TRN701."""

from __future__ import annotations

import re

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import FUSED_ATTENTION
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence
from trainlint.patterns import lazy
from trainlint_rules.attention.idioms.names import around_is_named
from trainlint_rules.attention.idioms.returned_scores import returned_scores
from trainlint_rules.attention.idioms.written_attention import biased, written_attention

_FALLBACK = lazy(r"eager|naive|reference|slow|manual|fallback|vanilla|math_?attn|torch_attn", re.IGNORECASE)

_RETURNED = (
    "use `torch.nn.functional.scaled_dot_product_attention` where the caller does not need `{scores}`, which it does "
    "not return"
)


class AttentionByHand(CallRule):
    """Attention written out as two products with a softmax between them

    ## Why
    The scores of all queries with all keys are a matrix that grows with the square of the sequence. Written out, it
    is computed, scaled, masked, softened and dropped out in a kernel each, and two or three copies of it are kept for
    the backward pass. `torch.nn.functional.scaled_dot_product_attention` computes the same, and where its flash or
    memory-efficient kernel takes the inputs, the matrix is never stored.

    Channels that attend to channels have a small matrix: findings between normalised queries and keys are possible, not
    likely. Where probabilities or scores are returned, kept or changed in other ways, the function cannot replace the
    formula.

    ## Example
    ```python
    import math

    import torch
    from torch import nn


    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.project = nn.Linear(width, 3 * width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            weights = torch.softmax(scores, dim=-1)
            return (weights @ v).transpose(1, 2).reshape(batch, length, width)
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.project = nn.Linear(width, 3 * width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            attended = nn.functional.scaled_dot_product_attention(q, k, v)
            return attended.transpose(1, 2).reshape(batch, length, width)
    ```

    Its scale is one over the root of the width of a head; give `scale=` (from PyTorch 2.1 on) where the code has
    another one, and `scale=1.0` where it has none. A boolean `attn_mask` is True where attention is paid, the inverse
    of what `masked_fill(mask, -inf)` is given. Dropout needs `dropout_p=p if self.training else 0.0`, as the function
    never asks for the mode. `is_causal=True` stands for a lower triangle where queries and keys are equally long.

    ## Confirmed by
    `aten::_softmax` between two `aten::bmm` in a profile, with a result as large as the square of the sequence.

    ## Gain
    Memory that grows with the length of the sequence instead of its square, and less traffic: FlashAttention's authors
    measured GPT-2 to train up to three times as fast as a written-out attention (arXiv 2205.14135). For sequences of
    some dozens of elements the matrix is small, and little is gained; kernels for float32 gain less than those for
    float16 and bfloat16. Not measured here.

    ## References
    - `scaled_dot_product_attention`:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
    - FlashAttention: https://arxiv.org/abs/2205.14135
    """

    code = "TRN701"
    name = "attention-by-hand"
    preview = True
    on = ("softmax", "Softmax", "attend")
    costs_steps = True
    sure = Confidence.LIKELY
    unless = (
        supports_older_than((2, 0)),
        shows("the file also has a fused attention, and this is its fallback", FUSED_ATTENTION),
        biased,
        around_is_named("the code around it is named as a slow or reference way", _FALLBACK),
    )
    message = "attention by hand (products at lines {first} and {last}) stores a matrix of all queries by all keys"
    help = "use `torch.nn.functional.scaled_dot_product_attention`"

    def found(self, site: Site) -> Match | None:
        """A softmax between a product of queries with keys and one with values."""
        way = written_attention(site.file, site.place)
        if way is None:
            return None
        fields = {"first": way.scores.lineno, "last": way.outputs[0].lineno, "scores": returned_scores(site, way)}
        instead = _RETURNED if fields["scores"] is not None else None
        return Match(site, Confidence.POSSIBLE if way.cosine else self.sure, fields, help=instead)
