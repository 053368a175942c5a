"""TRN203."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.blocks import Place
from trainlint.model.names import last_name
from trainlint.model.reads import implicit_read, tensors_read
from trainlint.model.site import Site
from trainlint.model.values import Kind
from trainlint.rule import Rule, Triggers

_CONVERSIONS = frozenset({"float", "int", "bool"})
_MATH = frozenset({"isnan", "isinf", "isfinite", "exp", "log", "log2", "log10", "sqrt", "ceil", "floor", "pow"})
_CHOICES = frozenset({"max", "min"})
_WRITERS = frozenset({"add_scalar", "add_histogram"})
_CALLS = _CONVERSIONS | _MATH | _CHOICES | _WRITERS | {"print", "format"}


class TensorReadAsPythonValue(Rule):
    """A device tensor that Python reads as a number, a truth value or text in each training step.

    ## Why
    `float(t)`, `if t > 0`, `assert t.any()`, `print(t)`, an f-string, `math.isnan(t)`, `max(1, t)` and
    `writer.add_scalar(tag, t)` all call `.item()` inside: the host waits for the device, and the device then waits for
    the host. They look harmless since no `.item()` is in sight.

    ## Example
    ```python
    import math

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if math.isnan(loss):
                raise RuntimeError("the loss is not a number")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import math

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            if step % 50 == 0 and math.isnan(loss):
                raise RuntimeError("the loss is not a number")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    Choosing between values can stay on the device: `torch.where(bad, zero, loss)`, `t.clamp(min=1)`.

    ## Stays silent
    For shapes, dtypes, `is None`, identity; behind an interval, a flag or a failure; in evaluation; for values on
    the host; for `torch._assert_async`.

    ## Confirmed by
    `aten::_local_scalar_dense` with a stream synchronisation at this line in each step of a profile.

    ## References
    - `torch.cuda.set_sync_debug_mode`:
      https://docs.pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html
    - PyTorch performance tuning guide, "Avoid unnecessary CPU-GPU synchronization":
      https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """

    code = "TRN203"
    name = "tensor-read-as-python-value"
    severity = Severity.WARNING
    triggers = Triggers(calls=_CALLS, reads=True)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads that run in each step on a device tensor; one finding a statement for formatted text."""
        if not site.heat.heat.in_step:
            return
        for node, confidence, how in _reads(site):
            message = (
                f"{how} reads a device tensor on the host, which waits for the device in each training step; "
                "read it every n-th step or keep the decision on the device"
            )
            yield self.finding(site, message, at=node, confidence=confidence)
            return


def _reads(site: Site) -> Iterator[tuple[ast.AST, float, str]]:
    node = site.node
    is_test = any(place is site.place for place in site.file.reads_by_statement.get(site.statement, []))
    if isinstance(node, ast.Call) and not is_test:
        yield from _called(site, node)
    elif isinstance(node, ast.FormattedValue) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        if _is_first_text(site):
            yield from _formatted(site, site.place)
    elif isinstance(node, ast.expr):
        for part, confidence in tensors_read(site.file, node, site.block):
            yield part, confidence, "this test"


def _called(site: Site, call: ast.Call) -> Iterator[tuple[ast.AST, float, str]]:
    name = last_name(call.func)
    if name == "format" and isinstance(call.func, ast.Attribute):
        text = call.func.value
        if not isinstance(text, ast.Constant | ast.JoinedStr) and site.value(text).kind is not Kind.STRING:
            return
        arguments, how = [*call.args, *(keyword.value for keyword in call.keywords)], "`.format()`"
    elif name in _WRITERS and isinstance(call.func, ast.Attribute):
        arguments, how = (
            call.args[1:2] or [keyword.value for keyword in call.keywords if keyword.arg in ("scalar_value", "values")],
            f"`.{name}()`",
        )
    elif name in _MATH:
        if not (site.origin(call.func) or "").startswith("math."):
            return
        arguments, how = call.args, f"`math.{name}()`"
    elif isinstance(call.func, ast.Name) and site.block.scope.owner(name) is None:
        if name in _CHOICES and len(call.args) < 2:
            return
        arguments, how = call.args, f"`{name}()`"
    else:
        return
    for item in arguments:
        inner = item.value if isinstance(item, ast.Starred) else item
        confidence = implicit_read(site.value(inner))
        if confidence:
            yield (call if name in _CONVERSIONS else inner), confidence, how
            return


def _is_first_text(site: Site) -> bool:
    """Whether no earlier formatted value of the statement reads a tensor: one text is one wait and one finding."""
    for place in site.file.reads_by_statement.get(site.statement, []):
        if place is site.place:
            return True
        if place.node is not site.node and any(True for _ in _formatted(site, place)):
            return False
    return True


def _formatted(site: Site, place: Place) -> Iterator[tuple[ast.AST, float, str]]:
    node = place.node
    if isinstance(node, ast.FormattedValue):
        parts, how = [node.value], "formatting"
    elif isinstance(node, ast.BinOp):
        parts, how = (node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]), "`%` formatting"
    else:
        return
    for part in parts:
        inner = part.value if isinstance(part, ast.Starred) else part
        confidence = implicit_read(site.file.kinds.of(inner, place.block))
        if confidence:
            yield inner, confidence, how
            return
