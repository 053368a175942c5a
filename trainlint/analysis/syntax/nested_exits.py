"""Code that follows an `if` in which some ways leave: the test that tells which ways lead on."""

from __future__ import annotations

import ast

_DEEPEST = 4
_LEAVES = (ast.Return, ast.Continue)


def way_on(statement: ast.If) -> ast.expr | None:
    """A test that holds where code after an `if` is reached though a `return` or `continue` stands inside it.

    It is a conditional expression of the tests in the code: `b if a else True` for `if a: if not b: return`. None
    where nothing leaves, where all ways do, and for what a plain early exit says already.
    """
    found = _of_if(statement, _DEEPEST)
    return found if isinstance(found, ast.IfExp) else None


def _of_if(statement: ast.If, depth: int) -> ast.expr | None:
    """The test for an `if` alone; None where each way leads on."""
    if not depth:
        return None
    body, orelse = _of_body(statement.body, depth - 1), _of_body(statement.orelse, depth - 1)
    if body is None and orelse is None:
        return None
    on = ast.copy_location(ast.Constant(True), statement.test)
    return ast.copy_location(ast.IfExp(statement.test, body or on, orelse or on), statement.test)


def _of_body(body: list[ast.stmt], depth: int) -> ast.expr | None:
    tests = []
    for statement in body:
        if isinstance(statement, _LEAVES):
            return ast.copy_location(ast.Constant(False), statement)
        found = _of_if(statement, depth) if isinstance(statement, ast.If) else None
        if found is not None:
            tests.append(found)
    if len(tests) < 2:
        return tests[0] if tests else None
    return ast.copy_location(ast.BoolOp(ast.And(), tests), tests[0])
