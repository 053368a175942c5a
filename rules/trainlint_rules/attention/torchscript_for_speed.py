"""TRN707."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SCRIPT = "torch.jit.script"
_FUSER = "torch.jit.fuser"
_SETTER = "torch._C._jit_set_nvfuser_enabled"
_FIRST_COMPILER = (2, 0)
_SERVES = lazy(
    r"torch\.compile|\bonnx|jit\.(save|trace|is_scripting|is_tracing|freeze|export|ignore|unused|script_if_tracing|"
    r"optimize_for_inference)|torchscript|is_scripting|caffe2|\bdeploy",
    re.IGNORECASE,
)
"""Code that compiles already where it can, or is to run without Python."""
_SERVING_PATH = lazy(r"export|deploy|serv(e|ing)|onnx|convert|(^|/)jit", re.IGNORECASE)
_TRAINS = lazy(r"\.backward\(|nn\.Module|autograd")


class TorchscriptForSpeed(Rule):
    """TorchScript, or its nvFuser, is used to make training faster

    ## Why
    A few operations under `@torch.jit.script` were once fused into one kernel by nvFuser. PyTorch 2.x has taken nvFuser
    out: `torch._C._jit_set_nvfuser_enabled(True)` and `torch.jit.fuser("fuser2")` only print that they do nothing.
    TorchScript itself is deprecated and warns in newer versions. `torch.compile` fuses such functions, forward and
    backward, and takes all of Python.

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

    ## Stays silent
    Where `torch.compile` is tried first; in code that is exported, saved or served, or asks whether it is scripted;
    for classes that are scripted so that scripted code can use them; behind a test of the version; where the project
    lets in a PyTorch before 2.0; in tests and benchmarks.

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
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(references=(_SCRIPT, _FUSER, _SETTER))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find scripted functions of training code, and switches of a fuser that is gone."""
        origin = site.origin(site.node) if isinstance(site.node, ast.expr) else None
        if origin is None or site.lacks(_FIRST_COMPILER) or _asks_for_version(site):
            return
        if origin == _SCRIPT:
            if _is_decorated_function(site) and _trains(site):
                yield self.finding(
                    site,
                    "TorchScript is deprecated, and nvFuser, which fused such functions, is gone; use `torch.compile`",
                    confidence=0.5 if is_test_path(site.path) else 0.8,
                )
        elif _asks_for_nvfuser(site, origin):
            yield self.finding(
                site,
                "TorchScript has no nvFuser any more: this does nothing but print so; use `torch.compile`",
                confidence=0.5 if is_test_path(site.path) else 0.9,
            )


def _is_decorated_function(site: Site) -> bool:
    statement = site.statement
    return isinstance(statement, ast.FunctionDef) and site.node in statement.decorator_list


def _trains(site: Site) -> bool:
    """Whether the file holds layers or training, and nothing that is made to run without Python."""
    text = site.source.text
    if _SERVES.search(text) or _SERVING_PATH.search(site.path):
        return False
    return bool(_TRAINS.search(text))


def _asks_for_nvfuser(site: Site, origin: str) -> bool:
    assert isinstance(site.node, ast.expr)
    place = call_of(site.file, site.node)
    if place is None or not isinstance(place.node, ast.Call):
        return False
    if origin == _FUSER:
        return constant(argument(place.node, "name", 0)) == "fuser2"
    return origin == _SETTER and constant(argument(place.node, "", 0)) is True


def _asks_for_version(site: Site) -> bool:
    """Whether the place is a branch for some versions only."""
    return depends_on_version(site.block) or any(block.kind is BlockKind.EXCEPT for block in site.block.outwards())
