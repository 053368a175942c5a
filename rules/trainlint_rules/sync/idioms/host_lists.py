"""Lists of Python: indexing one by a device scalar reads that, and indexing a device tensor by one copies it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.effects.creations import creation
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import TOLIST
from trainlint.analysis.types.values import Home, Kind, Origin, Value
from trainlint_rules.sync.idioms.same_names import ByName, by_name, same_value

_MAKING = frozenset({"list", "tuple", "sorted", "range"})
_METHODS = frozenset({TOLIST.name, "split"})
_SURE_OF_ATTRIBUTE = 0.9
_SURE = 0.75
"""How well the place of the indexed tensor must be known."""


def is_list(node: ast.expr) -> bool:
    """Whether an expression makes a list or a tuple. A dict is none: it looks keys up without reading them."""
    match node:
        case ast.List() | ast.ListComp() | ast.Tuple():
            return True
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add(), right=right):
            return is_list(left) or is_list(right)
        case ast.Call(func=ast.Name(id=name)):
            return name in _MAKING
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _METHODS
    return False


@dataclass(frozen=True, slots=True, eq=False)
class HostIndex:
    """An index on the host into a tensor on the device, which is copied there first."""

    node: ast.expr
    what: str
    """What it is, as in "a list"."""
    is_constant: bool
    """Whether it is the same each time."""


def host_index(file: SemanticModel, node: ast.Subscript, block: Block) -> HostIndex | None:
    """The first index of a device tensor that lies on the host; None where there is none, or nothing is sure."""
    base = file.kinds.of(node.value, block)
    if not base.on_device or base.origin is Origin.NAME or base.confidence < _SURE or isinstance(node.ctx, ast.Del):
        return None
    axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return next((found for part in axes if (found := _on_host(file, part, block, len(axes)))), None)


def same_index(file: SemanticModel, index: HostIndex, place: Place) -> tuple[tuple[ast.Name, Block], ...]:
    """The same value on the host as an index elsewhere in the function, in order, with the blocks."""
    if not isinstance(index.node, ast.Name):
        return ()
    return tuple((name, other.block) for other, name in same_value(file, index.node, place, _indices(file)))


@once
def _indices(file: SemanticModel) -> ByName:
    """The places where a name is an index on the host."""
    found = ((place, index) for place in file.outline.subscripts if (index := _named_index(file, place)) is not None)
    return by_name(file, found)


def _named_index(file: SemanticModel, place: Place) -> ast.Name | None:
    if not isinstance(place.node, ast.Subscript):
        return None
    index = host_index(file, place.node, place.block)
    return index.node if index is not None and isinstance(index.node, ast.Name) else None


def _on_host(file: SemanticModel, part: ast.expr, block: Block, axes: int) -> HostIndex | None:
    if isinstance(part, ast.Slice | ast.Constant | ast.Tuple):
        return None
    made = single_value(part, block) or part
    if isinstance(made, ast.List) and _of_tensors(file, made, block):
        return None
    if is_list(made) and not _is_tuple(made):
        known = isinstance(made, ast.List) and all(type(constant(item)) is int for item in made.elts)
        return HostIndex(part, "a list", known)
    value = file.kinds.of(part, block)
    if _holds_numbers(value) and axes > 1:  # alone, it may be a tuple of one index for each axis
        return HostIndex(part, "a list", False)
    if value.kind is Kind.ARRAY:
        return HostIndex(part, "an array", False)
    return HostIndex(part, "a tensor on the CPU", False) if _is_made_on_host(file, part, made, value, block) else None


def _holds_numbers(value: Value) -> bool:
    item = value.element if value.kind is Kind.CONTAINER and value.confidence >= _SURE else None
    return item is not None and item.kind is Kind.NUMBER


def _is_tuple(node: ast.expr) -> bool:
    """Whether an expression makes a tuple, which alone is one index for each axis."""
    match node:
        case ast.Tuple() | ast.Call(func=ast.Name(id="tuple")):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_tuple(left) or _is_tuple(right)
    return False


def _is_made_on_host(file: SemanticModel, part: ast.expr, made: ast.expr, value: Value, block: Block) -> bool:
    """Whether an index is a tensor that a factory makes on the host, here or for an attribute of the object."""
    if not value.is_tensor or value.home is not Home.HOST:
        return False
    if creation(file, made, block) is not None:
        return True
    return isinstance(part, ast.Attribute) and value.origin is Origin.FACTORY and value.confidence >= _SURE_OF_ATTRIBUTE


def _of_tensors(file: SemanticModel, made: ast.List, block: Block) -> bool:
    """Whether a list that is written out is empty, or holds something besides numbers."""
    return not made.elts or any(
        isinstance(item, ast.Slice | ast.Starred) or file.kinds.of(item, block).is_tensor for item in made.elts
    )
