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
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.site import Site

_ADDING = frozenset(
    {"add_", "sub_", "copy_", "lerp_", "addcmul_", "addcdiv_", "index_add_", "index_copy_", "scatter_", "set_"}
)
"""Methods by which code puts gradients of its own into what is there, so that something must be there."""

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
