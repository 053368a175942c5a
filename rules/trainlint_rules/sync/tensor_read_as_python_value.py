"""TRN203."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.finding import Finding, Severity
from trainlint.model.blocks import Place
from trainlint.model.names import last_name
from trainlint.model.progress import shown_by_bar
from trainlint.model.reads import implicit_read, tensors_read
from trainlint.model.site import Site
from trainlint.model.values import Kind
from trainlint.rule import Rule, Triggers

_CONVERSIONS = frozenset({"float", "int", "bool", "str", "repr", "range"})
_MATH = frozenset(
    "isnan isinf isfinite isclose exp expm1 log log1p log2 log10 sqrt pow ceil floor fabs fmod hypot copysign erf "
    "gamma sin cos tan sinh cosh tanh asin acos atan atan2 degrees radians".split()
)
_CHOICES = frozenset({"max", "min"})
_QUANTIFIERS = frozenset({"any", "all"})
_WRITERS = frozenset({"add_scalar", "add_histogram"})
_LOGGERS = frozenset({"info", "warning", "error", "critical"})
_LOGGER_NAME = re.compile(r"^_?log(ger|ging)?$", re.IGNORECASE)
_CALLS = _CONVERSIONS | _MATH | _CHOICES | _QUANTIFIERS | _WRITERS | _LOGGERS | {"print", "format", "log"}


class TensorReadAsPythonValue(Rule):
    """A device tensor that Python reads as a number, a truth value or text in each training step.

    ## Why
    `float(t)`, `if t > 0`, `not t.any()`, `a and t`, `assert t.any()`, `range(t)`, `print(t)`, an f-string,
    `logger.info("%s", t)`, `math.isnan(t)`, `max(1, t)`, `writer.add_scalar(tag, t)` and `wandb.log({"loss": t})` all
    call `.item()` inside: the host waits for the device, and the device then waits for the host. They look harmless
    since no `.item()` is in sight.

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
    the host; for `torch._assert_async`. Inside the call that updates a progress bar, TRN212 speaks.

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
            if shown_by_bar(site.file, site.node, site.statement):
                return
            message = (
                f"{how} reads a device tensor on the host, which waits for the device in each training step; "
                "read it every n-th step or keep the decision on the device"
            )
            yield self.finding(site, message, at=node, confidence=confidence)
            return


def _reads(site: Site) -> Iterator[tuple[ast.AST, float, str]]:
    node = site.node
    if isinstance(node, ast.FormattedValue) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)):
        if _is_first_text(site):
            yield from _formatted(site, site.place)
    elif _stands_in_test(site):
        return
    elif any(place is site.place for place in site.file.reads_by_statement.get(site.statement, [])):
        assert isinstance(node, ast.expr)
        for part, confidence in tensors_read(site.file, node, site.block):
            yield part, confidence, "this test"
    elif isinstance(node, ast.Call):
        yield from _called(site, node)


def _stands_in_test(site: Site) -> bool:
    """Whether a larger test of the statement asks for this truth as well: one wait is one finding."""
    node = site.node
    if isinstance(node, ast.Call) and last_name(node.func) not in _QUANTIFIERS:
        return False
    return any(
        place is not site.place
        and not isinstance(place.node, ast.FormattedValue | ast.BinOp)
        and any(part is node for part in ast.walk(place.node))
        for place in site.file.reads_by_statement.get(site.statement, [])
    )


def _called(site: Site, call: ast.Call) -> Iterator[tuple[ast.AST, float, str]]:
    name = last_name(call.func)
    if isinstance(call.func, ast.Name) and name in _QUANTIFIERS and site.block.scope.owner(name) is None:
        for part, confidence in tensors_read(site.file, call, site.block):
            yield part, confidence, f"`{name}()`"
        return
    origin = site.origin(call.func)
    how = f"`{origin}()`" if origin else f"`.{name}()`" if isinstance(call.func, ast.Attribute) else f"`{name}()`"
    for item in _asked_of(site, call, name):
        inner = item.value if isinstance(item, ast.Starred) else item
        confidence = implicit_read(site.value(inner), inner, site.block)
        if confidence:
            yield (call if name in _CONVERSIONS else inner), confidence, how
            return


def _asked_of(site: Site, call: ast.Call, name: str) -> list[ast.expr]:
    """The arguments that a call reads as numbers, truth values or text; none for other calls of the same name."""
    if isinstance(call.func, ast.Name):
        if name in _MATH:
            return call.args if (site.origin(call.func) or "").startswith("math.") else []
        known = _CONVERSIONS | _CHOICES | {"print", "format"}
        if name not in known or site.block.scope.owner(name) is not None or (name in _CHOICES and len(call.args) < 2):
            return []
        return call.args
    if not isinstance(call.func, ast.Attribute):
        return []
    owner, origin = call.func.value, site.origin(call.func) or ""
    if origin == "wandb.log":
        return call.args[0].values if call.args and isinstance(call.args[0], ast.Dict) else []
    if name in _MATH:
        return call.args if origin.startswith("math.") else []
    if name == "format":
        is_text = isinstance(owner, ast.Constant | ast.JoinedStr) or site.value(owner).kind is Kind.STRING
        return [*call.args, *(keyword.value for keyword in call.keywords)] if is_text else []
    if name in _WRITERS:
        return call.args[1:2] or [item.value for item in call.keywords if item.arg in ("scalar_value", "values")]
    if name in _LOGGERS:
        return call.args if origin.startswith("logging.") or _LOGGER_NAME.search(last_name(owner)) else []
    return []


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
        confidence = implicit_read(site.file.kinds.of(inner, place.block), inner, place.block)
        if confidence:
            yield inner, confidence, how
            return
