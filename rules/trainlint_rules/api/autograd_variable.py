"""TRN810."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.effects.creations import ALL
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    end_position,
    has_unpacked_arguments,
    imported_names,
    last_name,
    position,
    root_name,
)
from trainlint.analysis.syntax.roles import Role, references_by, role
from trainlint.analysis.syntax.uses import call_of
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers
from trainlint.symptoms import Symptom

_NAMES = ("torch.autograd.Variable", "torch.autograd.variable.Variable")
_ARGUMENTS = ("data", "requires_grad", "volatile")
"""The arguments of the old constructor, in their order; the last one does nothing since PyTorch 0.4."""
_SWITCH = lazy(r"\.requires_grad(_\(|\s*=[^=])")
_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_FRESH_METHODS = frozenset({"new", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "clone"})
_CASTS = frozenset({"cuda", "cpu", "to", "type", "float", "double", "half", "long", "int", "bool"})


class AutogradVariable(Rule):
    """`Variable(...)` around a tensor, which has carried its own gradient since PyTorch 0.4

    ## Why
    Variables and tensors were merged in PyTorch 0.4. `Variable(x)` now returns a detached tensor that shares the memory
    of `x`: at best a call for nothing in each step, at worst the place where a graph is cut without anyone seeing it.
    `volatile=True` has no effect, so evaluation that relies on it builds whole graphs.

    ## Example
    ```python
    import torch
    from torch.autograd import Variable


    def train(model, criterion, optimizer, pairs):
        for inputs, targets in pairs:
            noise = Variable(torch.randn(64, 100))
            start = Variable(torch.zeros(64, 8), requires_grad=True)
            loss = criterion(model(Variable(inputs), noise, start), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(model, criterion, optimizer, pairs):
        for inputs, targets in pairs:
            noise = torch.randn(64, 100)
            start = torch.zeros(64, 8).requires_grad_()
            loss = criterion(model(inputs.detach(), noise, start), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    `.detach()` is what `Variable` does; where `inputs` has no graph, as a batch, leave it out too.

    ## Stays silent
    For `isinstance(x, Variable)` and annotations; for attributes of the class, such as the autograd engine behind
    `Variable._execution_engine`, which have no other name; and for classes of this name from elsewhere.

    ## Confirmed by
    `trainlint probe` notes PyTorch's UserWarning at this line of `volatile=True`. Else nothing: a `Variable` is a
    tensor.

    ## Gain
    A call less for each tensor, some hundred nanoseconds of host time (not measured here). Where `volatile=True` was
    meant to switch gradients off, the memory of the whole graph of an evaluation.

    ## References
    - `torch.autograd`, Variable (deprecated):
      https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    - PyTorch 0.4 migration guide: https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """

    code = "TRN810"
    name = "autograd-variable"
    severity = Severity.WARNING
    fix_safety = Safety.SAFE
    heat_matters = False
    confirmed_by = frozenset({Symptom.WARNING})
    warned_as = "volatile"
    triggers = Triggers(references=_NAMES)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find uses of the class as a constructor, and imports of it that nothing uses."""
        if isinstance(site.node, ast.ImportFrom):
            if _is_idle(site, site.node):
                message = "`Variable` is imported and not used; it is deprecated since PyTorch 0.4, import it no longer"
                yield self.finding(site, message, confidence=0.9, fix=partial(_not_imported, site, site.node))
            return
        if not isinstance(site.node, ast.expr) or origins(site.node, site.block).isdisjoint(_NAMES):
            return
        if role(site.file, site.place) in (Role.TYPE_TEST, Role.ANNOTATION, Role.BASE):
            return
        place = call_of(site.file, site.node)
        if place is None:
            message = "`Variable` is deprecated since PyTorch 0.4: use the tensors themselves"
            yield self.finding(site, message, confidence=0.8)
            return
        call = place.node
        assert isinstance(call, ast.Call)
        message = "`Variable` is deprecated since PyTorch 0.4: tensors carry their own gradients; use the tensor itself"
        if constant(argument(call, "volatile")) is True:
            message = "`volatile=True` has no effect since PyTorch 0.4: run this under `torch.no_grad()`"
        yield self.finding(site, message, at=call, confidence=0.95, fix=partial(_unwrapped, site, call))


def _is_idle(site: Site, statement: ast.ImportFrom) -> bool:
    local = next((name for name, meaning in imported_names(statement) if meaning in _NAMES), None)
    if local is None or site.path.endswith("__init__.py") or "__all__" in site.source.text:
        return False
    return all(root_name(place.node) != local for place in references_by(site.file, statement))


def _not_imported(site: Site, statement: ast.ImportFrom) -> Fix | None:
    from trainlint.fixing.imports import drop_name
    from trainlint.fixing.rewrite import attempt

    return attempt(
        lambda: Fix("Do not import Variable", drop_name(site.source, statement, "Variable"), Safety.SAFE),
    )


def _unwrapped(site: Site, call: ast.Call) -> Fix | None:
    """The tensor itself where it is new or has no graph; else detached from it, as `Variable` detaches it."""
    data = argument(call, "data", 0)
    known = all(keyword.arg in _ARGUMENTS for keyword in call.keywords) and len(call.args) <= len(_ARGUMENTS)
    if data is None or not known or has_unpacked_arguments(call):
        return None
    flag = _requires_grad(call)
    value = site.value(data)
    alone = not site.file.says(_SWITCH)  # else the flag could be set on what two names now share
    bare = _is_fresh(site, data) or (value.is_tensor and value.attached is False and not flag and alone)
    text = site.source.text[site.source.offset(*position(data)) : site.source.offset(*end_position(data))]
    written = text if isinstance(data, _PRIMARY) or (bare and not flag) else f"({text})"
    return _replaced(site, call, written + ("" if bare else ".detach()") + flag)


def _requires_grad(call: ast.Call) -> str:
    """The call of `requires_grad_` that does what the argument did; empty where it did nothing."""
    wanted = argument(call, "requires_grad", 1)
    if wanted is None or constant(wanted) is False:
        return ""
    return f".requires_grad_({'' if constant(wanted) is True else ast.unparse(wanted)})"


def _replaced(site: Site, call: ast.Call, written: str) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, replace_expression

    def make() -> Fix:
        import libcst as cst

        new = cst.parse_expression(written)
        return Fix("Use the tensor itself", (replace_expression(site.source, call, new),), Safety.SAFE)

    return attempt(make)


def _is_fresh(site: Site, node: ast.expr) -> bool:
    """Whether an expression makes a tensor that nothing else holds: a factory of PyTorch, cast or moved or not."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASTS:
        if isinstance(node.func.value, ast.Name):
            return False
        node = node.func.value
    if not isinstance(node, ast.Call) or any(keyword.arg == "requires_grad" for keyword in node.keywords):
        return False
    origin = site.origin(node.func)
    if origin is not None:
        return origin.startswith("torch.") and origin.count(".") == 1 and last_name(node.func) in ALL
    return isinstance(node.func, ast.Attribute) and node.func.attr in _FRESH_METHODS and node.func.attr != "clone"
