"""The statements that a branch runs, and what they assign."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.assignments import Assignments
from trainlint.analysis.syntax.blocks import Block, BlockKind, Position
from trainlint.analysis.syntax.names import end_position, last_name, position

_ENDS_PROGRAM = frozenset({"exit", "_exit", "abort"})
_END_OF_FILE = (1 << 30, 0)


def assigns(block: Block, name: str, assignments: Assignments) -> bool:
    """Whether a branch assigns something: "self.table", "count"; "self.cache[]" is putting something into it."""
    extent = _extent(block)
    return extent is not None and any(extent[0] <= place <= extent[1] for place in assignments.of(name, block))


def gives_up(block: Block) -> bool:
    """Whether a branch ends the program, or the loop around it."""
    if not isinstance(block.node, ast.If) or block.after_exit:
        return False
    body = block.node.orelse if block.negated else block.node.body
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in _ENDS_PROGRAM
    return isinstance(last, (ast.Raise, ast.Break))


def follows_giving_up(block: Block) -> bool:
    """Whether a block is what follows `if ...: raise` or `if ...: break`, which runs unless the program gives up."""
    node = block.node
    return block.after_exit and isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise | ast.Break)


def _extent(block: Block) -> tuple[Position, Position] | None:
    """From where to where a branch of an `if` reaches, or what follows an early exit; None for other blocks."""
    node = block.node
    if not isinstance(node, ast.If):
        return None
    if block.after_exit:
        return end_position(node), _end_of_surroundings(block)
    body = node.orelse if block.negated else node.body
    return (position(body[0]), end_position(body[-1])) if body else None


def _end_of_surroundings(block: Block) -> Position:
    """The end of the loop, function or branch that an early exit stands in."""
    outer = block.parent
    while outer is not None and outer.after_exit:
        outer = outer.parent
    if outer is None or not isinstance(outer.node, ast.stmt):
        return _END_OF_FILE
    if outer.kind is BlockKind.BRANCH:
        extent = _extent(outer)
        return extent[1] if extent is not None else _END_OF_FILE
    return end_position(outer.node)
