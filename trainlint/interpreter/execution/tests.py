"""Ask a test: whether it waits, what it says, and what holds in its branches."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.branches.branch import PLAIN_BRANCH, Branch, both, either
from trainlint.interpreter.branches.comparisons import ValueOf
from trainlint.interpreter.branches.instances import asked_kind
from trainlint.interpreter.branches.read import read
from trainlint.interpreter.execution.operators import OF_HOST
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Frame, Heat
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import ARRAY, PLAIN, UNKNOWN, Tensor, Unknown
from trainlint.interpreter.values.value import Value

_IS_TENSOR: Final = re.compile(r"isinstance\(\w+, *(torch\.)?Tensor\)|torch\.is_tensor")
_HOST_KINDS: Final = re.compile(r"(int|float|str|ndarray)\b")
_OTHER_KINDS: Final = re.compile(r"Tensor|list|tuple|dict")


def truth(run: Run, test: ast.expr, frame: Frame) -> Branch:
    """What a test says; told as a wait where it needs a value of the device."""
    return asked(run, test, frame)[0]


def asked(run: Run, test: ast.expr, frame: Frame) -> tuple[Branch, ValueOf]:
    """What a test says, and the values of its parts."""
    frame.module.spent += 1  # a test inside of a test is evaluated twice
    if frame.module.spent > frame.module.allowed:
        run.give_up(frame, Limit.STATEMENTS)
        return PLAIN_BRANCH, lambda _: UNKNOWN
    known: dict[int, Value] = {}

    def value_of(node: ast.expr) -> Value:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = run.value(node, frame)
        return found

    return _ask(run, test, value_of, run.heat == "step"), value_of


def _ask(run: Run, test: ast.expr, value_of: ValueOf, hot: bool) -> Branch:
    """Ask each part as Python does: what follows `and` or `or` only where the part before leaves it open."""
    match test:
        case ast.BoolOp():
            heat, parts = run.heat, []
            for part in test.values:
                run.look_at(part, heat)
                parts.append(_ask(run, part, value_of, hot))
                run.heat = follows(run, test.op, parts[-1])
            run.heat = heat
            return either(parts) if isinstance(test.op, ast.Or) else both(parts)
        case ast.UnaryOp(op=ast.Not()):
            return _ask(run, test.operand, value_of, hot).turned
    value = value_of(test)
    by_name = isinstance(value, Tensor) and value.source == "name" and isinstance(test, ast.Name | ast.Attribute)
    of_host = isinstance(test, ast.Compare) and isinstance(test.ops[0], OF_HOST)
    if not (of_host or by_name):  # `if self.mean_loss:` asks for an option
        run.reads(test, value, Happening.TEST, "a test")
    return read(test, value_of, hot)


def follows(run: Run, operator: ast.boolop, before: Branch) -> Heat:
    """How often the part of a test runs that follows another by `and` or `or`."""
    branch = before if isinstance(operator, ast.And) else before.turned
    return run.cooled("off" if branch.truth is False else branch.holds)


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
        case ast.Compare():
            asked = asked_kind(test)
            if asked is not None and isinstance(asked[0], ast.Name) and asked[0].id in frame.names:
                name, kind = asked[0].id, asked[1]
                frame.names[name] = _narrowed(frame.names[name], f"isinstance({name}, {text(kind)})", holds)


def _narrowed(old: Value, test: str, holds: bool) -> Value:
    if _IS_TENSOR.match(test):
        if holds:
            if isinstance(old, Tensor):
                return old.but(container=False, maybe_none=False)
            return Tensor("unknown", way=("a tensor by its test",)) if isinstance(old, Unknown) else old
        return UNKNOWN if isinstance(old, Tensor) and not old.container else old
    of_host = test.startswith("isinstance") and _HOST_KINDS.search(test) and not _OTHER_KINDS.search(test)
    return (ARRAY if "ndarray" in test else PLAIN) if of_host and holds else old
