"""TRN411."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_DOUBLE = lazy(
    r"^numpy\.(random\.(rand|randn|normal|uniform|random|random_sample|standard_normal|beta|laplace|exponential|"
    r"multivariate_normal|dirichlet)|linspace|zeros|ones|empty|eye|identity|hanning|hamming|logspace)$"
)
"""NumPy functions whose result is float64 unless something else is asked for."""
_CASTS = frozenset(("float", "half", "bfloat16", "long", "int", "bool", "type", "type_as", "byte"))
_SCIENCE = lazy(r"float64|\.double\(|DoubleTensor|complex128|set_default_dtype")
_HOT = 0.8
_COLD = 0.6


class DoublePrecisionTensor(Rule):
    """Float64 of NumPy goes to the device as it is: twice the bytes, and slow arithmetic

    ## Why
    NumPy computes in float64 unless told otherwise, and `torch.from_numpy` and `torch.tensor` keep that. On the
    device a float64 tensor takes twice the memory and the copy twice the time; what is computed with it becomes
    float64, too. Consumer GPUs do float64 arithmetic at 1/32 to 1/64 of their float32 rate (CUDA's table of
    arithmetic throughput).

    ## Example
    ```python
    import numpy as np
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            weights = torch.from_numpy(np.linspace(1.0, 0.5, len(targets))).cuda()
            loss = (criterion(model(inputs), targets) * weights).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch


    def train(model, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            weights = torch.from_numpy(np.linspace(1.0, 0.5, len(targets)).astype(np.float32)).cuda()
            loss = (criterion(model(inputs), targets) * weights).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    Where a data type is named anywhere on the way; where the array's type is not sure; for tensors that stay on the
    host; in code that speaks of float64, as science does; in tests. Outside of steps, quietly.

    ## Confirmed by
    A tensor of `torch.float64` on the device in a training step.

    ## Gain
    Half the bytes of this copy; not measured here. Nothing worth having for a few numbers.

    ## References
    - Arithmetic throughput: https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#arithmetic-instructions
    - `torch.from_numpy`: https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
    """

    code = "TRN411"
    name = "double-precision-tensor"
    severity = Severity.ADVICE
    heat_matters = False
    preview = True
    triggers = Triggers(calls=frozenset({"from_numpy", "tensor", "as_tensor"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find arrays of float64 that become tensors on the device."""
        call = site.call
        if site.origin(call.func) not in ("torch.from_numpy", "torch.tensor", "torch.as_tensor"):
            return
        if is_test_path(site.path) or site.file.says(_SCIENCE) or argument(call, "dtype", 1) is not None:
            return
        array = call.args[0] if call.args else None
        if not isinstance(array, ast.expr) or not _is_double(site, array, site.block):
            return
        if not _reaches_device(site):
            return
        yield self.finding(
            site,
            f"`{ast.unparse(array)[:60]}` is float64, and goes to the device as that; give it `.astype(np.float32)`",
            confidence=_HOT if site.heat.heat.in_step else _COLD,
        )


def _is_double(site: Site, array: ast.expr, block: Block) -> bool:
    if isinstance(array, ast.Name):
        value = single_value(array, block)
        return value is not None and not isinstance(value, ast.Name) and _is_double(site, value, block)
    if not isinstance(array, ast.Call) or has_unpacked_arguments(array) or argument(array, "dtype") is not None:
        return False
    origin = site.origin(array.func) or ""
    if not _DOUBLE.match(origin):
        return False
    sized = origin.rpartition(".")[2] in ("zeros", "ones", "empty")
    return not (sized and len(array.args) > 1) and bool(array.args or array.keywords)


def _reaches_device(site: Site) -> bool:
    """Whether the tensor goes to the device in the same expression, and is cast nowhere on the way."""
    inner: ast.AST = site.call
    if argument(site.call, "device") is not None:
        return site.value(site.call).on_device
    for outer in _chain(site.statement, inner):
        name = last_name(outer.func)
        if name in _CASTS:
            return False
        if name == "to" and (len(outer.args) > 1 or argument(outer, "dtype") is not None):
            return False
        if name in ("to", "cuda"):
            return site.value(outer).on_device and not _is_cast_after(site.statement, outer)
    return False


def _is_cast_after(statement: ast.stmt, moved: ast.Call) -> bool:
    return any(last_name(outer.func) in _CASTS or last_name(outer.func) == "to" for outer in _chain(statement, moved))


def _chain(statement: ast.stmt, inner: ast.AST) -> Iterator[ast.Call]:
    """The methods that are called on a value one after the other."""
    while True:
        outer = next(
            (
                node
                for node in nodes_in(statement)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.value is inner
            ),
            None,
        )
        if outer is None:
            return
        yield outer
        inner = outer
