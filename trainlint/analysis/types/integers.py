"""Expressions that are Python integers beyond doubt, so that they are neither None nor another number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.ranks import NUMBER_FUNCTIONS

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_COUNTING = frozenset((*NUMBER_FUNCTIONS, "current_device", "device_count"))
"""Functions of `torch.cuda` and `torch.distributed` that give one."""
_DEEPEST = 4


def integer(node: ast.expr) -> int | None:
    """The integer that is written out, perhaps with a minus sign; None for anything else, True and False included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = integer(node.operand)
        return None if number is None else -number
    written = constant(node)
    return written if isinstance(written, int) and not isinstance(written, bool) else None


def is_integer(file: SemanticModel, node: ast.expr, block: Block, depth: int = 0) -> bool:
    """Whether an expression is one: a number, a length, a size, a rank, a parameter declared so, or sums of such."""
    if integer(node) is not None:
        return True
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
            return is_integer(file, left, block, depth) and is_integer(file, right, block, depth)
        case ast.Call(func=ast.Name(id="len" | "int" as name)):
            return block.scope.owner(name) is None
        case ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[_]):
            return file.kinds.of(tensor, block).is_tensor
        case ast.Call(func=func) if last_name(func) in _COUNTING:
            return (file.outline.imported(func, block) or "").startswith("torch.")
        case ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=index):
            return not isinstance(index, ast.Slice) and file.kinds.of(tensor, block).is_tensor
        case ast.Name() if depth < _DEEPEST:
            value = single_value(node, block)
            return is_integer(file, value, block, depth + 1) if value is not None else _is_declared(file, node, block)
    return False


def _is_declared(file: SemanticModel, name: ast.Name, block: Block) -> bool:
    """Whether a name is a parameter that is declared to be one, and is no None by default."""
    bindings = reaching(name.id, block, position(name))
    if len(bindings) != 1 or bindings[0].how is not How.PARAMETER:
        return False
    default, function = bindings[0].value, file.outline.function_of.get(bindings[0].block.node)
    declared = [item.annotation for item in function.parameters if item.arg == name.id] if function else []
    is_given = default is None or integer(default) is not None
    return is_given and any(isinstance(item, ast.Name) and item.id == "int" for item in declared)
