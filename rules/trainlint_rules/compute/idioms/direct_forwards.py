"""Calls of the `forward` of a module instead of the module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import How
from trainlint.analysis.syntax.names import dotted, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Kind
from trainlint.contract.confidence import level
from trainlint.contract.guard import guard
from trainlint.finding import Confidence

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_WRAPS = frozenset({"__call__", "_forward", "forward_impl"})


@guard
def hands_on(site: Site) -> bool:
    """A wrapper's own forward passes its arguments on."""
    function = site.function
    if function is None or function.owner is None:
        return False
    unpacked = any(isinstance(item, ast.Starred) for item in site.call.args)
    return function.name in _WRAPS or (function.name == "forward" and unpacked)


@guard
def item_of_slice(site: Site) -> bool:
    """It is an item of a sliced module list, which TorchScript can only call this way."""
    model = site.receiver
    if not isinstance(model, ast.Name):
        return False
    iterated = (item.value for item in reaching(model.id, site.block, position(model)) if item.how is How.FOR)
    return any(isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Slice) for item in iterated)


def is_instance(site: Site, node: ast.expr) -> bool:
    """Whether an expression names an object other than the own one: no class, no module of Python, no `super()`."""
    named = isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not last_name(node)[:1].isupper()
    return named and dotted(node) not in ("self", "cls") and site.origin(node) is None


def sure_module(site: Site, node: ast.expr) -> Confidence | None:
    """How sure an expression is a module; None if it is not. Converters and engines have a forward and its names."""
    value = site.value(node)
    if value.kind is not Kind.MODULE:
        return None
    return Confidence.CERTAIN if level(value.confidence) is Confidence.CERTAIN else Confidence.POSSIBLE
