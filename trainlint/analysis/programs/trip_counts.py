"""How often a loop goes round, as far as its own text tells: once, a few written-out times, or unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.tables.iterables import passes_items_through

FEW = 8
"""A literal number of rounds up to this is a part of a step, not training itself."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def runs_once(loop: ast.AST) -> bool:
    """Whether the body of a loop always ends in `break`, `return` or `raise`, so that it runs once at most."""
    if not isinstance(loop, _LOOPS):
        return False
    return _leaves(loop.body) and not any(isinstance(item, ast.Continue) for item in _own_statements(loop.body))


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


def _own_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop, without those of loops and functions inside it, but with their `else`."""
    for statement in body:
        yield statement
        if isinstance(statement, _OWN_SCOPE):
            continue
        inside = [] if isinstance(statement, _LOOPS) else [getattr(statement, "body", [])]
        inside += [getattr(statement, name, []) for name in ("orelse", "finalbody")]
        inside += [part.body for name in ("handlers", "cases") for part in getattr(statement, name, [])]
        for statements in inside:
            yield from _own_statements(statements)


def iterates_few_literals(iterated: ast.expr) -> bool:
    """Whether what a loop iterates is written out and short: `["train", "val"]`, `range(3)`."""
    match iterated:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return not any(isinstance(item, ast.Starred) for item in items)
        case ast.Call(args=[count]) if last_name(iterated.func) == "range":
            rounds = constant(count)
            return isinstance(rounds, int) and rounds <= FEW
        case ast.Call(args=[inner, *_]) if passes_items_through(last_name(iterated.func)):
            return iterates_few_literals(inner)
    return False
