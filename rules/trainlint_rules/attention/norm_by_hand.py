"""TRN710."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint_rules.attention.idioms.norms import written_gelu, written_norm

_FIRST_RMS_NORM = (2, 4)
_FUSED_ALREADY = lazy(r"torch\.compile|\btriton\b|jit\.script|F\.rms_norm|functional\.rms_norm|apex|fused", re.I)
_FUSING = lazy(r"fus(e|er|ed|ion)|compile|script", re.IGNORECASE)
"""Decorators that fuse."""
_SHIFTED = lazy(r"\b1(\.0)? \+ self\.(weight|scale|gamma)|self\.(weight|scale|gamma) \+ 1\b")
"""Weights that are stored as their distance from one."""
_ROOTS = frozenset({"rsqrt", "sqrt"})
_CURVES = frozenset({"erf", "tanh"})


class NormByHand(Rule):
    """A norm or an activation that PyTorch computes in one kernel is written out

    ## Why
    Written out, an RMS norm, a layer norm or a GELU is a kernel for each sign in the formula, four to eight of them,
    and most of their results are kept for the backward pass. Such kernels do nothing but read and write memory.
    PyTorch has each in one kernel, and a backward pass to it.

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

    ## Stays silent
    In files that compile, script or name fused kernels, and under a decorator that fuses; for norms over other
    dimensions than the last, by the unbiased deviation or with the epsilon outside of the root, which are other
    functions; for weights stored as their distance from one; for an RMS norm where the project lets in a PyTorch
    before 2.4; for the normal distribution, which is no GELU, and constants of few digits; in tests and benchmarks.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=_ROOTS | _CURVES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find roots and curves that stand in a written-out norm or GELU."""
        function = site.function
        if is_test_path(site.path) or function is None or not _is_of_torch(site):
            return
        if any(_FUSING.search(last_name(item)) for item in function.decorators):
            return
        if last_name(site.call.func) in _ROOTS:
            found = written_norm(site.place)
            call = f"F.{found}"
        else:
            found = written_gelu(site.place)
            call = 'F.gelu(x, approximate="tanh")' if found == "tanh" else "F.gelu(x)"
        if found is None or site.file.says(_FUSED_ALREADY) or site.file.says(_SHIFTED):
            return
        if found == "rms_norm" and site.lacks(_FIRST_RMS_NORM):
            return
        yield self.finding(site, f"this formula is a kernel for each sign; `{call}` computes it in one", confidence=0.8)


def _is_of_torch(site: Site) -> bool:
    """Whether the call is that of a tensor's method or of torch, and not of `math` or NumPy."""
    origin = site.origin(site.call.func)
    return origin is None or origin.startswith("torch.")
