"""TRN710."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence, Severity
from trainlint_rules.attention.idioms.compiled import compiles_or_fuses
from trainlint_rules.attention.idioms.norms import (
    decorated_to_fuse,
    needs_newer_torch,
    weights_from_one,
    written_formula,
)


class NormByHand(CallRule):
    """A norm or an activation that PyTorch computes in one kernel is written out

    ## Why
    Written out, an RMS norm, a layer norm or a GELU is a kernel for each sign in the formula, four to eight of them,
    and most of their results are kept for the backward pass. Such kernels do nothing but read and write memory. PyTorch
    has each in one kernel, and a backward pass to it. Norms over other dimensions than the last, by the unbiased
    deviation or with the epsilon outside of the root are other functions, and so are the normal distribution and a GELU
    with constants of few digits.

    ## Example
    ```python
    import torch
    from torch import nn


    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))
            self.eps = 1e-6

        def forward(self, x):
            x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
            return x * self.weight
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))
            self.eps = 1e-6

        def forward(self, x):
            return nn.functional.rms_norm(x, self.weight.shape, self.weight, self.eps)
    ```

    The names of the weights stay, so checkpoints still load. In float32 the results differ by some 5e-7; in bfloat16
    by up to 0.03, since the kernels round once, at the end: compare losses.

    ## Confirmed by
    `aten::pow`, `aten::mean`, `aten::rsqrt` and `aten::mul` in a row in a profile, in each layer.

    ## Gain
    One kernel instead of four to eight, and the memory of what they keep. Not measured here. Nothing where the
    version has no kernel of its own for `rms_norm` on the device and composes it of the same operations, nor under
    `torch.compile`, which fuses the formula.

    ## References
    - `rms_norm`: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html
    - `gelu`: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html
    """

    code = "TRN710"
    name = "norm-by-hand"
    severity = Severity.ADVICE
    preview = True
    on = ("rsqrt", "sqrt", "erf", "tanh")
    sure = Confidence.LIKELY
    unless = (
        compiles_or_fuses,
        weights_from_one,
        decorated_to_fuse,
        needs_newer_torch,
    )
    message = "{what} by hand runs a kernel for each operation"
    help = "use `{function}`, which is one kernel"

    def found(self, site: Site) -> Match | None:
        """A root or a curve of torch that stands in a norm or a GELU, written out."""
        what = written_formula(site)
        return Match(site, fields={"what": what.name, "function": what.function}) if what is not None else None
