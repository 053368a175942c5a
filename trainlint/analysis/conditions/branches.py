"""Which branches a block stands in."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.guards import guard_of, within_function
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import constant, last_name, names_in, nodes_in


def conditional_part(block: Block) -> ast.expr | None:
    """What a block begins with in `a if test else b` or `test and a`; None for other blocks."""
    match block.node:
        case ast.IfExp():
            return block.node.orelse if block.negated else block.node.body
        case ast.BoolOp():
            return block.node.values[1]
    return None


def follows_exit(block: Block) -> bool:
    """Whether a block is what follows an early exit."""
    return block.after_exit


def is_branch(block: Block, *, early_exits: bool = True) -> bool:
    """Whether a test decides about the block itself; with `early_exits`, also by an early exit above it."""
    guard = guard_of(block)
    return guard is not None and (early_exits or not guard.is_early_exit)


def is_tested(block: Block, loop: Block | None = None) -> bool:
    """Whether a test, an exception or an early exit decides if code runs, within its function and inside `loop`."""
    return any(decides(outer) for outer in within_function(block, loop))


def is_tested_for_others(block: Block, loop: Block | None, words: frozenset[str]) -> bool:
    """Whether a test inside a function, and a loop, decides if code runs that names, or calls, none of these words."""
    tests = (guard.expression for outer in within_function(block, loop) if (guard := guard_of(outer)) is not None)
    return any(words.isdisjoint(names_in(test)) or not words.issuperset(_called(test)) for test in tests)


def _called(test: ast.expr) -> set[str]:
    return {last_name(part.func) for part in nodes_in(test) if isinstance(part, ast.Call)}


def decides(block: Block) -> bool:
    """The same of a block itself. What follows `if ...: raise` or `if ...: break` runs unless the program gives up."""
    if block.kind is not BlockKind.BRANCH:
        return block.kind is BlockKind.EXCEPT
    node = block.node
    gives_up = isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise | ast.Break)
    return not (block.after_exit and gives_up)


def never_ends(node: ast.AST) -> bool:
    """Whether a node is a loop that only `break`, `return` or an exception ends: `while True:`."""
    if not isinstance(node, ast.While):
        return False
    value = constant(node.test)
    return value is not ... and bool(value)


def outside_branches(block: Block) -> Block:
    """The innermost block around code that is no branch, the code's own if that is none."""
    while block.kind is BlockKind.BRANCH and block.parent is not None:
        block = block.parent
    return block
