"""Ask a test: whether it waits, what it says, and what holds in its branches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.branches.branch import PLAIN_BRANCH, Branch
from trainlint.interpreter.branches.read import read
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.run import Frame, Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import PLAIN, UNKNOWN, Tensor, Unknown
from trainlint.interpreter.values.value import Value

_IS_TENSOR: Final = re.compile(r"isinstance\(\w+, *(torch\.)?Tensor\)|torch\.is_tensor")
_HOST_KINDS: Final = re.compile(r"(int|float|str|ndarray)\b")
_OTHER_KINDS: Final = re.compile(r"Tensor|list|tuple|dict")
_NO_READ: Final = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose result is a bool of the host."""


def truth(run: Run, test: ast.expr, frame: Frame) -> Branch:
    """What a test says; told as a wait where it needs a value of the device."""
    frame.module.spent += 1  # a test inside of a test is evaluated twice
    if frame.module.spent > frame.module.allowed:
        run.give_up(frame, Limit.STATEMENTS)
        return PLAIN_BRANCH
    known: dict[int, Value] = {}

    def value_of(node: ast.expr) -> Value:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = run.value(node, frame)
        return found

    branch = read(test, value_of, run.heat == "step")
    for part in _parts(test):
        value = value_of(part)
        if not (isinstance(part, ast.Compare) and isinstance(part.ops[0], _NO_READ)):
            run.reads(part, value, Happening.TEST, "a test")
    return branch


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """What Python asks for its truth, one after the other."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _parts(part)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand)
    else:
        yield test


def narrow(test: ast.expr, frame: Frame, *, holds: bool) -> None:
    """Keep in the environment what a test for the kind of a name tells."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            narrow(test.operand, frame, holds=not holds)
        case ast.BoolOp(op=ast.And()) if holds:
            for part in test.values:
                narrow(part, frame, holds=True)
        case ast.Call(func=ast.Name() | ast.Attribute(), args=[ast.Name(id=name), *_]) if name in frame.names:
            frame.names[name] = _narrowed(frame.names[name], text(test), holds)


def _narrowed(old: Value, test: str, holds: bool) -> Value:
    if _IS_TENSOR.match(test):
        if holds:
            if isinstance(old, Tensor):
                return old.but(container=False, maybe_none=False)
            return Tensor("unknown", way=("a tensor by its test",)) if isinstance(old, Unknown) else old
        return UNKNOWN if isinstance(old, Tensor) and not old.container else old
    of_host = test.startswith("isinstance") and _HOST_KINDS.search(test) and not _OTHER_KINDS.search(test)
    return PLAIN if of_host and holds else old
