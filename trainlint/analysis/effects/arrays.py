"""Arrays that need not come from the host anew in each step: tables that stay the same, and drawn numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How
from trainlint.analysis.syntax.names import dotted, nodes_in
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_NUMPY_RANDOM = "numpy.random."
_KEEPING = frozenset({"astype", "copy", "reshape", "ravel", "flatten", "squeeze", "transpose", "T"})
_DEEPEST = 10
_MOST_CALLS = 0.8
"""Of the calls of a helper, the share above which it is one for tables, though a few calls pass what they compute."""


def stays_same(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an expression has the same value each time, as far as the file shows.

    Made of numbers that are written out, of what the module defines, and of attributes that only `__init__` stores; a
    parameter counts where most calls of its function in the file pass such a thing.
    """
    if depth > _DEEPEST:
        return False
    match node:
        case ast.Constant():
            return True
        case ast.Name():
            found = file.outline.bindings(node, block)
            return bool(found) and all(_binding_stays(file, item, depth) for item in found)
        case ast.Attribute(value=ast.Name()):
            return file.outline.imported(node, block) is not None or _is_set_once(file, node, block)
        case ast.Call():
            return _call_stays(file, node, block, depth)
        case ast.Dict():
            return _all_stay(file, node.values, block, depth)
        case ast.BinOp() | ast.UnaryOp() | ast.Subscript() | ast.Slice() | ast.Tuple() | ast.List():
            return _all_stay(file, ast.iter_child_nodes(node), block, depth)
        case _:
            return False


def _all_stay(file: SemanticModel, nodes: Iterable[ast.AST], block: Block, depth: int) -> bool:
    parts = [part for part in nodes if isinstance(part, ast.expr)]
    return bool(parts) and all(stays_same(file, part, block, depth + 1) for part in parts)


def _call_stays(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> bool:
    """Whether a call computes the same each time: a function of NumPy that draws nothing, or a method of its result."""
    origin = file.outline.imported(call.func, block) or ""
    if isinstance(call.func, ast.Attribute) and not origin and call.func.attr in _KEEPING:
        return stays_same(file, call.func.value, block, depth + 1)
    if not origin.startswith("numpy.") or origin.startswith(_NUMPY_RANDOM):
        return False
    return all(stays_same(file, item, block, depth + 1) for item in call.args)


def _is_set_once(file: SemanticModel, node: ast.Attribute, block: Block) -> bool:
    """Whether an attribute of the object itself is stored while the object is made, and never filled."""
    stored = file.outline.bindings(node, block)
    return bool(stored) and all(_is_set_up(file, item) for item in stored) and not _is_filled(file, node)


def _binding_stays(file: SemanticModel, binding: Binding, depth: int) -> bool:
    if binding.how is How.IMPORT:
        return True
    if binding.how is How.PARAMETER:
        function = file.outline.function_of.get(binding.block.node)
        given = list(passed(file.graph, function, binding.name)) if function is not None else []
        same = sum(stays_same(file, item, block, depth + 1) for item, block in given)
        return same > _MOST_CALLS * len(given)
    if binding.how is not How.ASSIGN or binding.value is None:
        return False
    return stays_same(file, binding.value, binding.block, depth + 1)


def _is_set_up(file: SemanticModel, binding: Binding) -> bool:
    """Whether an attribute is stored while its object is made, or in the body of its class."""
    if binding.how is not How.ASSIGN:
        return False
    function = file.graph.enclosing(binding.block)
    return function.name == "__init__" if function is not None else binding.block.kind is BlockKind.CLASS


def _is_filled(file: SemanticModel, attribute: ast.Attribute) -> bool:
    """Whether the file stores into an array that an attribute holds, as into a buffer."""
    name = dotted(attribute)
    return any(
        isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load) and dotted(part.value) == name
        for part in nodes_in(file.tree)
    )


def is_drawn(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an expression is numbers that NumPy draws, or arithmetic on such and on what stays the same."""
    if depth > _DEEPEST:
        return False
    match node:
        case ast.Name():
            found = file.outline.bindings(node, block)
            return bool(found) and all(_binding_is_drawn(file, item, depth) for item in found)
        case ast.Call(func=func):
            if isinstance(func, ast.Attribute) and func.attr in _KEEPING:
                return is_drawn(file, func.value, block, depth + 1)
            return (file.outline.imported(func, block) or "").startswith(_NUMPY_RANDOM)
        case ast.BinOp(left=left, right=right):
            drawn = [is_drawn(file, side, block, depth + 1) for side in (left, right)]
            same = [stays_same(file, side, block, depth + 1) for side in (left, right)]
            return any(drawn) and all(one or other for one, other in zip(drawn, same, strict=True))
        case _:
            return False


def _binding_is_drawn(file: SemanticModel, binding: Binding, depth: int) -> bool:
    if binding.how is not How.ASSIGN or binding.value is None or binding.path:
        return False
    return is_drawn(file, binding.value, binding.block, depth + 1)
