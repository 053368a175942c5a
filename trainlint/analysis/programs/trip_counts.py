"""Which loops end for good after few rounds, as far as their own text tells."""

from __future__ import annotations

import ast

from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value

SHORT = 200
"""A run of so few steps is over in seconds or minutes."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether the last of some statements leaves the loop in every case."""
    match body[-1]:
        case ast.Break() | ast.Return() | ast.Raise():
            return True
        case ast.If(body=then, orelse=otherwise):
            return bool(otherwise) and _leaves(then) and _leaves(otherwise)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return _leaves(inner)
    return False


def in_short_run(outline: Outline, block: Block) -> bool:
    """Whether a block stands in a loop that ends for good after at most `SHORT` rounds, unless an option says more.

    As a search for a learning rate does: what its steps cost is over soon.
    """
    for outer in block.outwards():
        if outer.kind is BlockKind.FUNCTION:
            return False
        if outer.kind is BlockKind.LOOP and isinstance(outer.node, _LOOPS) and _ends_soon(outline, outer, outer.node):
            return True
    return False


def _ends_soon(outline: Outline, block: Block, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether the loop leaves as soon as a counter of all its rounds passes a small number."""
    for statement in loop.body:
        match statement:
            case ast.If(test=ast.Compare(left=ast.Name(id=counter), ops=[operator], comparators=[limit])):
                small = _number(outline, limit, block)
                passes = isinstance(operator, (ast.Gt, ast.GtE, ast.Eq)) and _leaves(statement.body)
                if passes and small is not None and 0 < small <= SHORT and _counts_rounds(block, loop, counter):
                    return True
    return False


def _number(outline: Outline, limit: ast.expr, block: Block) -> int | None:
    """A number that is written out, here or where a name gets it, or the default of the option of this name."""
    written = constant(single_value(limit, block) or limit)
    if isinstance(written, int):
        return written
    name = last_name(limit) if isinstance(limit, (ast.Name, ast.Attribute)) else ""
    for place in outline.calls.get("add_argument", ()) if name else ():
        if isinstance(place.node, ast.Call):
            words = [constant(item) for item in place.node.args]
            if any(isinstance(word, str) and word.lstrip("-").replace("-", "_") == name for word in words):
                value = constant(argument(place.node, "default"))
                return value if isinstance(value, int) else None
    return None


def _counts_rounds(block: Block, loop: ast.For | ast.AsyncFor | ast.While, counter: str) -> bool:
    """Whether each round adds one to a name that is set to a number outside of all loops."""
    adds = any(
        isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name) and item.target.id == counter
        for item in loop.body
    )
    scope = block.scope.owner(counter)
    starts = [item for item in scope.bindings[counter] if item.how is How.ASSIGN] if scope is not None else []
    return adds and bool(starts) and all(not _in_loop(item.block) for item in starts)


def _in_loop(block: Block) -> bool:
    for outer in block.outwards():
        if outer.kind is BlockKind.FUNCTION:
            return False
        if outer.kind is BlockKind.LOOP:
            return True
    return False
