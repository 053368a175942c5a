"""TRN707."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.named_calls import called
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.tables.signs import COMPILES, ONNX, SAVED_SCRIPTS, SERVES
from trainlint.contract.bases import ReferenceRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guards.conditions import decided_by_version
from trainlint.contract.guards.files import supports_older_than
from trainlint.contract.guards.names import shows
from trainlint.finding import Confidence

_SCRIPT, _FUSER, _SETTER = "torch.jit.script", "torch.jit.fuser", "torch._C._jit_set_nvfuser_enabled"


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
    on = (_SCRIPT, _FUSER, _SETTER)
    unless = (
        supports_older_than((2, 0)),
        decided_by_version,
        shows("the code compiles, exports, saves or serves", COMPILES, SERVES, SAVED_SCRIPTS, ONNX),
    )
    message = "TorchScript is deprecated, and nvFuser, which fused such functions, is gone"
    help = "use `torch.compile`"

    def found(self, site: Site) -> Match | None:
        """A scripted function of a file that trains, or a switch of the fuser that is gone."""
        origin = site.origin(site.node) if isinstance(site.node, ast.expr) else None
        if origin == _SCRIPT:
            decorated = isinstance(site.statement, ast.FunctionDef) and site.node in site.statement.decorator_list
            trains = "Module" in site.source.text or site.file.outline.calls.get("backward")
            return Match(site, Confidence.LIKELY) if decorated and trains else None
        there = called(site) if origin in (_FUSER, _SETTER) else None
        if there is None or constant(argument(there.call, "name", 0)) not in ("fuser2", True):
            return None
        return Match(site, message="TorchScript has no nvFuser any more, so this only prints a warning")
