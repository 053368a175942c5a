"""TRN707."""

from __future__ import annotations

import ast

from trainlint.analysis.site import Site
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.files import supports_older_than
from trainlint.finding import Confidence
from trainlint_rules.attention.idioms.torch_script import (
    FUSER,
    SCRIPT,
    SETTER,
    asks_for_nvfuser,
    served,
    switched,
    trains_nothing,
)


class TorchscriptForSpeed(ReferenceRule):
    """TorchScript, or its nvFuser, is used to make training faster

    ## Why
    A few operations under `@torch.jit.script` were once fused into one kernel by nvFuser. PyTorch 2.x has taken nvFuser
    out: `torch._C._jit_set_nvfuser_enabled(True)` and `torch.jit.fuser("fuser2")` only print that they do nothing.
    TorchScript itself is deprecated and warns in newer versions. `torch.compile` fuses such functions, forward and
    backward, and takes all of Python. Scripted classes are not reported: scripted code can use no others.

    ## Example
    ```python
    import torch


    @torch.jit.script
    def bias_gelu(bias: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x = bias + y
        return x * 0.5 * (1.0 + torch.erf(x / 1.4142135623730951))


    def step(linear, optimizer, inputs, bias):
        loss = bias_gelu(bias, linear(inputs)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Use instead
    ```python
    import torch


    @torch.compile
    def bias_gelu(bias: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x = bias + y
        return x * 0.5 * (1.0 + torch.erf(x / 1.4142135623730951))


    def step(linear, optimizer, inputs, bias):
        loss = bias_gelu(bias, linear(inputs)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    ```

    ## Confirmed by
    "nvfuser is no longer supported in torch script" or a DeprecationWarning of `torch.jit.script` on the error
    stream, and several element-wise kernels in a row in a profile.

    ## Gain
    That of fusing: a chain of element-wise operations is bound by memory, and one kernel reads and writes once what
    several read and write each. Not measured here. None in a small function that runs seldom, or where TorchScript's
    own fuser (NNC) still fuses the same.

    ## References
    - TorchScript is deprecated: https://docs.pytorch.org/docs/stable/jit.html
    - `torch.compile`: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    """

    code = "TRN707"
    name = "torchscript-for-speed"
    preview = True
    on = (SCRIPT, FUSER, SETTER)
    unless = (supports_older_than((2, 0)), switched, served, trains_nothing)
    message = "TorchScript is deprecated, and nvFuser, which fused such functions, is gone"
    help = "use `torch.compile`"

    def found(self, site: Site) -> Match | None:
        """A scripted function, or a switch of the fuser that is gone."""
        origin = site.origin(site.node) if isinstance(site.node, ast.expr) else None
        if origin == SCRIPT:
            decorated = isinstance(site.statement, ast.FunctionDef) and site.node in site.statement.decorator_list
            return Match(site, Confidence.LIKELY) if decorated else None
        if origin is None or not asks_for_nvfuser(site, origin):
            return None
        return Match(site, message="TorchScript has no nvFuser any more, so this only prints a warning")
