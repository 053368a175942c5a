"""Read a test: what each of its branches runs for."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final, cast

from trainlint.interpreter.bounds import NAMES
from trainlint.interpreter.branches.branch import PLAIN_BRANCH, Branch, Cold, both, either
from trainlint.interpreter.branches.comparisons import ValueOf, compared, interval
from trainlint.interpreter.branches.names import by_name, last_name, off_by_default
from trainlint.interpreter.branches.words import FAILURE, GPU, GPU_AVAILABLE, ONCE_TRUE, OTHER_DEVICE, RANK, SOME_VALID
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import ClassValue, FunctionValue, ModuleValue, Object
from trainlint.interpreter.values.kinds import Items, Plain
from trainlint.interpreter.values.value import Value

_ASKING: Final = (ast.Name, ast.Attribute, ast.Call)
_OBJECTS: Final = (Object, FunctionValue, ClassValue, ModuleValue)


def read(test: ast.expr, value_of: ValueOf, hot: bool) -> Branch:
    """The branches that a test makes.

    `value_of` gives the abstract value of an expression; `hot` says whether the test is asked in each step, where a
    model that asks for `training` trains.
    """
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return read(test.operand, value_of, hot).turned
        case ast.BoolOp():
            parts = [read(part, value_of, hot) for part in test.values]
            return either(parts) if isinstance(test.op, ast.Or) else both(parts)
        case ast.NamedExpr():
            return read(test.value, value_of, hot)
    known = _known(test, value_of(test))
    if known is not None:
        return known
    match test:
        case ast.Compare() if len(test.ops) == 1:
            return compared(test, value_of, hot)
        case ast.BinOp(op=ast.Mod()):
            return interval(test.left, test.right, value_of(test.left)).turned
    return _named(test, value_of(test), hot)


def _known(test: ast.expr, value: Value) -> Branch | None:
    """The outcome, where the value itself is known."""
    if isinstance(value, Plain):
        if isinstance(test, _ASKING) and _asks_for_gpu(test):
            return Branch(truth=True, because="a GPU is there")
        if value.known:
            return Branch(truth=bool(value.constant))
    if value.maybe_none:
        return None
    if isinstance(value, _OBJECTS):
        return Branch(truth=True)
    if isinstance(value, Items) and value.fixed:
        return Branch(truth=bool(value.parts))
    return None


def _named(test: ast.expr, value: Value, hot: bool) -> Branch:
    """What the names in a test say, where its value does not."""
    code = text(test)
    if _names_other_device(code):
        return Branch(truth=False, because="for another kind of device")
    if _asks_for_gpu(test):
        return Branch(truth=True, because="a GPU is there")
    if isinstance(test, ast.Call) and FAILURE.search(code):
        return Branch(holds="rare", because="training has gone wrong")
    off = off_by_default(value, code)
    if off is not None:
        return off
    if isinstance(value, Plain) and value.says is not None:
        holds, fails = value.says
        return Branch(None, cast(Cold, holds), cast(Cold, fails), f"`{code}`")
    name = last_name(test)
    if SOME_VALID.search(code):
        return Branch(fails="rare", because=f"`{code}` mostly holds")
    if isinstance(test, ast.Call) and ONCE_TRUE.search(name):
        return PLAIN_BRANCH  # a function's answer is no mark
    return by_name(name, hot) or PLAIN_BRANCH


def _asks_for_gpu(test: ast.expr) -> bool:
    """Whether a test asks for a GPU, and not for a rank among several."""
    return _names_gpu(text(test), last_name(test))


@lru_cache(maxsize=NAMES)
def _names_gpu(code: str, name: str) -> bool:
    asked = GPU_AVAILABLE.search(code) or GPU.search(name)
    return asked is not None and RANK.search(code) is None


@lru_cache(maxsize=NAMES)
def _names_other_device(code: str) -> bool:
    return OTHER_DEVICE.search(code) is not None
