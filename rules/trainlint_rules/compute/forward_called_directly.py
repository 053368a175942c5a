"""TRN415."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import BlockKind
from trainlint.analysis.syntax.names import dotted, last_name
from trainlint.analysis.types.values import Kind
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_ON_PURPOSE = lazy(r"__call__|_call_impl|distributed\.rpc|_hooks?\b|hook_|fx\.|Interpreter|onnx", re.IGNORECASE)
"""Files that know what a call does besides, or trace the forward."""
_BY_NAME = 0.8
"""How sure a value is a module that is only called like one: so are converters and engines that have a forward."""
_WRAPS = frozenset({"__call__", "_forward", "forward_impl"})


class ForwardCalledDirectly(Rule):
    """`model.forward(x)` leaves out the hooks that `model(x)` runs

    ## Why
    Calling a module runs its forward and all hooks registered on it. `fully_shard` gathers weights in such hooks,
    and profilers, feature extractors, pruning and the older `weight_norm` use them. A direct call
    of `forward` skips them without a word: sharded weights are not gathered, extracted features stay empty.

    ## Example
    ```python
    import torch


    def train(model: torch.nn.Module, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model.forward(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model: torch.nn.Module, criterion, optimizer, train_loader):
        for inputs, targets in train_loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    For `super().forward(...)`, `self.forward(...)` and calls on a class; for what is not surely a module, as autograd
    functions and scalers have a `forward`, too; for the items of a slice of a list of modules, which TorchScript
    cannot call in any other way; in wrappers that hand their own arguments on, in files that speak of
    hooks, tracing or remote modules, and in tests.

    ## Fix safety
    The fix calls the module. Where hooks are registered they now run, which is what they are for, and what the
    program computes may change by it.

    ## Confirmed by
    A hook registered with `register_forward_hook` on this module is not called in a step.

    ## Gain
    Cannot be given as a figure: this is about what runs, not how fast. Nothing changes where there are no hooks.

    ## References
    - `torch.nn.Module.forward`, with its note on hooks:
      https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
    """

    code = "TRN415"
    name = "forward-called-directly"
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset({"forward"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find calls of the forward of what is a module."""
        func = site.call.func
        if not isinstance(func, ast.Attribute) or is_test_path(site.path):
            return
        model = func.value
        if not isinstance(model, ast.Name | ast.Attribute | ast.Subscript) or last_name(model)[:1].isupper():
            return
        if (
            dotted(model) in ("self", "cls")
            or site.origin(model) is not None
            or _hands_on(site)
            or _is_of_slice(site, model)
            or site.file.says(_ON_PURPOSE)
        ):
            return
        value = site.value(model)
        if value.kind is not Kind.MODULE or not (site.call.args or site.call.keywords):
            return
        shown = ast.unparse(model)
        yield self.finding(
            site,
            f"`{shown}.forward(...)` skips the hooks that `{shown}(...)` runs, those of sharding among them; call the "
            "module itself",
            confidence=0.9 if value.confidence > _BY_NAME else 0.6,
            fix=partial(_called, site, model),
        )


def _is_of_slice(site: Site, model: ast.expr) -> bool:
    """Whether a loop over a part of a module list made the name: TorchScript knows only `forward` of such items."""
    if not isinstance(model, ast.Name):
        return False
    loops = (block.node for block in site.block.outwards() if block.kind is BlockKind.LOOP)
    return any(
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Subscript)
        and isinstance(loop.iter.slice, ast.Slice)
        and isinstance(loop.target, ast.Name)
        and loop.target.id == model.id
        for loop in loops
    )


def _hands_on(site: Site) -> bool:
    """Whether a wrapper's own forward gives on all that it was given: it stands for the module, hooks and all."""
    function = site.function
    if function is None or function.owner is None:
        return False
    unpacked = any(isinstance(item, ast.Starred) for item in site.call.args)
    return function.name in _WRAPS or (function.name == "forward" and unpacked)


def _called(site: Site, model: ast.expr) -> Fix | None:
    from trainlint.fixing.rewrite import Unfixable, attempt, expression, replace_expression

    def make() -> Fix:
        import libcst as cst

        function = expression(site.source, site.call.func)
        if not isinstance(function, cst.Attribute):
            raise Unfixable(f"line {site.call.lineno} of {site.path} is written in an unusual way")
        edit = replace_expression(site.source, site.call.func, function.value)
        return Fix("Call the module", (edit,), Safety.UNSAFE)

    return attempt(make)
