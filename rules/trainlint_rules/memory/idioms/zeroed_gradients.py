"""Gradients that are overwritten with zeros, and code that needs them to stay where they are."""

from __future__ import annotations

import ast
from itertools import takewhile
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.settings.option_defaults import Flags
from trainlint.analysis.conditions.values.tested_values import asks_only_for_gradient
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.tables.signs import GRAPH_CAPTURE, STATIC_GRADIENTS
from trainlint.contract.guard import early_guard, guard
from trainlint.contract.guards.names import shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site
    from trainlint.finding import Edit

_ADDING = frozenset(
    {"add_", "sub_", "copy_", "lerp_", "addcmul_", "addcdiv_", "index_add_", "index_copy_", "scatter_", "set_"}
)
"""Methods by which code puts gradients of its own into what is there, so that something must be there."""
_PREPARING = ("detach_", "requires_grad_")
"""Methods by which a gradient that is kept is taken out of its graph."""

gradients_in_buffers = shows(
    "the code names CUDA graphs or gradient buffers, whose addresses must not change",
    GRAPH_CAPTURE,
    STATIC_GRADIENTS,
)


def is_off_by_default(site: Site, given: ast.expr) -> bool:
    """Whether an option of the program is false unless the user sets it."""
    return Flags(site.file.outline).default(given, site.block) is False


def zeroed_gradient(site: Site) -> ast.Attribute | None:
    """`p.grad` in `p.grad.zero_()`, `p.grad.data.zero_()` and `p.grad.fill_(0)`, for each `p` of a loop."""
    if last_name(site.call.func) == "fill_" and constant(next(iter(site.call.args), None)) != 0:
        return None
    gradient = site.receiver
    if isinstance(gradient, ast.Attribute) and gradient.attr == "data":
        gradient = gradient.value
    match gradient, site.block.innermost_loop():
        case ast.Attribute(value=ast.Name(id=name), attr="grad"), loop if loop is not None:
            targets = nodes_in(loop.node.target) if isinstance(loop.node, ast.For) else []
            return gradient if any(isinstance(part, ast.Name) and part.id == name for part in targets) else None
    return None


def assigned_none(site: Site, gradient: ast.Attribute) -> Iterator[Edit]:
    """`p.grad = None` in place of a statement such as `p.grad.zero_()`; nothing where the call is part of another.

    A `p.grad.detach_()` of the same loop goes: it has nothing left to prepare. Nothing where a test decides on it.
    """
    statement = site.statement
    prepared = _preparations(site, gradient)
    if any(other.block is not site.block or not isinstance(other.statement, ast.Expr) for other in prepared):
        return
    if isinstance(statement, ast.Expr) and statement.value is site.node:
        import libcst as cst

        from trainlint.fixing.rewrite import remove_statement, replace_simple_statement

        for other in prepared:
            yield from remove_statement(site.source, other.statement)
        target = cst.ensure_type(cst.parse_expression(ast.unparse(gradient)), cst.Attribute)
        new = cst.Assign([cst.AssignTarget(target)], cst.Name("None"))
        yield replace_simple_statement(site.source, statement, new)


def _preparations(site: Site, gradient: ast.Attribute) -> list[Site]:
    """The calls that take a gradient out of its graph, in the loop in which it is zeroed."""
    loop = site.block.innermost_loop()
    return [
        other
        for other in site.calls(*_PREPARING)
        if loop is not None and other.block.within(loop) and isinstance(other.call.func, ast.Attribute)
        if ast.dump(other.receiver) == ast.dump(gradient)
    ]


@guard
def for_some_parameters(site: Site) -> bool:
    """A check chooses the parameters to zero."""
    if last_name(site.call.func) == "zero_grad":
        return False
    loop = site.block.innermost_loop()
    inside = takewhile(lambda block: block is not loop, site.block.outwards())
    return not all(asks_only_for_gradient(block) for block in inside)


@guard
def passes_option_on(site: Site) -> bool:
    """It is in a `zero_grad` that passes its own argument on."""
    is_own = site.function is not None and site.function.name == "zero_grad"
    return is_own and any(constant(item) is ... for item in (*site.call.args, *(k.value for k in site.call.keywords)))


@early_guard
def adds_to_gradients(site: Site) -> bool:
    """The file adds to or writes into `.grad`, so `.grad` must exist."""
    return _adds_to_gradients(site.file)


@once
def _adds_to_gradients(file: SemanticModel) -> bool:
    for node in nodes_in(file.tree):
        match node:
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub()) if _is_gradient(file, target):
                return True
            case ast.Assign(targets=targets) if any(
                isinstance(item, ast.Subscript) and _is_gradient(file, item.value) for item in targets
            ):
                return True
            case ast.keyword(arg="out", value=value) if _is_gradient(file, value):
                return True
    calls = (place.node for name in _ADDING for place in file.outline.calls.get(name, ()))
    return any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_gradient(file, call.func.value)
        for call in calls
    )


def _is_gradient(file: SemanticModel, node: ast.expr) -> bool:
    """Whether this is `p.grad`, its `.data`, a part of it, or a name for one of these."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "data"):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr == "grad"
    return isinstance(node, ast.Name) and node.id in _names_of_gradients(file)


@once
def _names_of_gradients(file: SemanticModel) -> frozenset[str]:
    """The names to which the file assigns a gradient or its data."""
    found = set()
    for place in file.outline.block_of:
        match place:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr="grad"))
                | ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Attribute(attr="data", value=ast.Attribute(attr="grad"))
                )
            ):
                found.add(name)
    return frozenset(found)
