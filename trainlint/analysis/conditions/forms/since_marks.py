"""Tests of how far something has come since a mark, and of flags that end the loop.

`seen >= start + 1000` and `seen - start >= 1000`, where the loop sets `start = seen` anew; `finished`, where the loop
has `if finished: break`; `round == 0` and `spent >= due`, where the branch counts `round` or `due` on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import constant, dotted, last_name

_MORE = (ast.Gt, ast.GtE)
_LESS = (ast.Lt, ast.LtE)


def compared_mark(question: Question) -> Condition | None:
    """A comparison of the way since a mark with a distance; the loop sets the mark when that is reached."""
    test = question.test
    assert isinstance(test, ast.Compare)
    if not isinstance(test.ops[0], _MORE + _LESS):
        return None
    larger, smaller = test.left, test.comparators[0]
    if isinstance(test.ops[0], _LESS):
        larger, smaller = smaller, larger
    if _is_way_since_mark(larger, smaller, question) or (question.outcome and _branch_moves(smaller, question)):
        passed = question.outcome
    elif _is_way_since_mark(smaller, larger, question):
        passed = not question.outcome
    else:
        return None
    words = "each time enough has been done" if passed else "until enough has been done"
    return Condition(ConditionKind.INTERVAL, test.lineno, words, rare=passed)


def compared_count(question: Question) -> Condition | None:
    """`round == 0`, where the branch counts `round` on."""
    test = question.test
    assert isinstance(test, ast.Compare)
    same = isinstance(test.ops[0], ast.Eq) == question.outcome
    value = constant(test.comparators[0])
    if not same or not isinstance(test.left, ast.Name) or isinstance(value, bool) or not isinstance(value, int):
        return None
    bindings = _all_bindings(test.left.id, question.block)
    for item in bindings:
        if isinstance(item, ast.AugAssign) and isinstance(item.op, ast.Add) and question.branch_assigns(test.left.id):
            return Condition(ConditionKind.INTERVAL, test.lineno, "in few steps", rare=True)
    return None


def ends_loop(question: Question) -> Condition | None:
    """A flag after which the loop around ends: `if finished: break`, `while not finished`."""
    name = dotted(question.test)
    loop = question.block.innermost_loop()
    if name is None or not question.outcome or loop is None:
        return None
    node = loop.node
    if isinstance(node, ast.While) and _is_not(node.test, name):
        return _at_end(question)
    ends = question.flags.loop_ends
    if node not in ends:
        ends[node] = frozenset(_flags_that_end(node))
    return _at_end(question) if name in ends[node] else None


def _flags_that_end(loop: ast.AST) -> Iterator[str]:
    """The flags that a loop's own statements test to leave it."""
    for statement in getattr(loop, "body", ()):
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], (ast.Break, ast.Return)):
            name = dotted(statement.test)
            if name is not None:
                yield name


def _at_end(question: Question) -> Condition:
    return Condition(ConditionKind.INTERVAL, question.test.lineno, "when the loop ends", rare=True)


def _is_not(test: ast.expr, name: str) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and dotted(test.operand) == name


def _is_way_since_mark(grows: ast.expr, limit: ast.expr, question: Question) -> bool:
    """Whether one side grows until it passes the other: `seen` and `start + 1000`, `seen - start` and `1000`."""
    match grows, limit:
        case ast.Name() | ast.Attribute(), ast.BinOp(left=left, op=ast.Add(), right=right):
            return _is_mark(left, grows, question) or _is_mark(right, grows, question)
        case ast.BinOp(left=ast.Name() | ast.Attribute() as thing, op=ast.Sub(), right=mark), _:
            return constant(limit) != 0 and _is_mark(mark, thing, question)
    return False


def _branch_moves(limit: ast.expr, question: Question) -> bool:
    """Whether the branch adds to the limit that was passed: `if spent >= due: ...; due += 60`."""
    name = dotted(limit)
    if not isinstance(limit, ast.Name) or name is None or not question.branch_assigns(name):
        return False
    return any(
        isinstance(item, ast.AugAssign) and isinstance(item.op, ast.Add)
        for item in _all_bindings(limit.id, question.block)
    )


def _is_mark(mark: ast.expr, thing: ast.expr, question: Question) -> bool:
    """Whether the loop around sets a name to what another one holds."""
    name, loop = dotted(thing), question.block.innermost_loop()
    if name is None or loop is None or not isinstance(mark, (ast.Name, ast.Attribute)):
        return False
    if isinstance(mark, ast.Name):
        found = _all_bindings(mark.id, question.block)
    else:
        found = [place.statement for place in question.flags.outline.stores.get(last_name(mark), ())]
    return any(
        isinstance(item, ast.Assign) and dotted(item.value) == name and _stands_in(item, loop.node) for item in found
    )


def _stands_in(statement: ast.stmt, loop: ast.AST) -> bool:
    return loop.lineno <= statement.lineno <= (loop.end_lineno or loop.lineno) if isinstance(loop, ast.stmt) else False


def _all_bindings(name: str, block: Block) -> list[ast.AST]:
    """The statements that bind a name, wherever they stand in its scope."""
    scope = block.scope.owner(name)
    return [item.node for item in scope.bindings[name]] if scope is not None else []
