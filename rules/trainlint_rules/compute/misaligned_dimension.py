"""TRN409."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.signs import COMPILES, HALF, LOADED_WEIGHTS, TF32
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.names import shows, shows_none
from trainlint.finding import Confidence, Severity
from trainlint_rules.compute.idioms.tile_sizes import UNIT, misaligned_size


class MisalignedDimension(CallRule):
    """A large layer whose size is no multiple of 8, trained in 16 bits: tensor cores fill tiles in part

    ## Why
    Tensor cores multiply tiles. In 16 bits the fast kernels want sizes that are multiples of 8 (64 on an A100); for
    others cuBLAS takes slower kernels or pads. A vocabulary of 50257 rounded up to 50304 costs 47 rows that are never
    used and is faster as a whole.

    Only sizes that are written down as a number in the file are looked at, not small ones and no numbers of classes.

    ## Example
    ```python
    import torch
    from torch import nn

    vocab_size = 50257


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, 768)
            self.block = nn.TransformerEncoderLayer(768, 12)

        def forward(self, tokens):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return self.block(self.embedding(tokens)) @ self.embedding.weight.T
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn

    vocab_size = 50304


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, 768)
            self.block = nn.TransformerEncoderLayer(768, 12)

        def forward(self, tokens):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return self.block(self.embedding(tokens)) @ self.embedding.weight.T
    ```

    ## Confirmed by
    A profile whose products carry no aligned kernel (`align1` or `align2` in their names).

    ## Gain
    NVIDIA's guide for matrix products shows what alignment does for each GPU; the author of nanoGPT names about 25 %
    for the vocabulary of a small GPT rounded up to a multiple of 64. Not measured here. Nothing where the layer is a
    small part of a step.

    ## References
    - Matrix multiplication, requirements of tensor cores:
      https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html
    - The vocabulary of nanoGPT: https://x.com/karpathy/status/1621578354024677377
    """

    code = "TRN409"
    name = "misaligned-dimension"
    severity = Severity.ADVICE
    preview = True
    on = ("torch.nn.*.Linear", "torch.nn.*.Embedding")
    sure = Confidence.LIKELY
    unless = (
        shows_none("the code names neither 16 bits nor TF32", *HALF, TF32),
        shows("pretrained weights may fix the sizes", LOADED_WEIGHTS),
        shows("`torch.compile` pads the sizes", COMPILES),
    )
    message = "{size} is no multiple of {unit}, and tensor cores compute partly filled tiles"
    help = "round it up to {multiple}, a multiple of 64"

    def found(self, site: Site) -> Match | None:
        """A large layer with a number for a size that no tile fits."""
        found = misaligned_size(site)
        if found is None:
            return None
        node, size = found
        return Match(site.at(node), fields={"size": size, "unit": UNIT, "multiple": -(-size // 64) * 64})
