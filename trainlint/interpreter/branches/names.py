"""What the name that a test asks for says."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final

from trainlint.interpreter.bounds import NAMES
from trainlint.interpreter.branches.branch import Branch
from trainlint.interpreter.branches.words import EVALUATION, NO_MEANING, ONCE_TRUE, RANK, RARE, TRAINING_FLAG, UNSET
from trainlint.interpreter.values.kinds import Plain
from trainlint.interpreter.values.value import Value

_PASSING: Final = frozenset({"bool", "getattr", "int", "len"})
"""Calls that ask for one of their arguments."""


def last_name(node: ast.expr) -> str:
    """The last name of an expression: `args.log_every` asks for `log_every`, `cfg["debug"]` for `debug`."""
    while True:
        if node.__class__ is ast.Name:  # most are
            return node.id
        match node:
            case ast.Subscript(slice=ast.Constant(value=str(name))) | ast.Constant(value=str(name)):
                return name
            case ast.Subscript():
                node = node.value
            case ast.Call(func=ast.Name(id=called), args=[first, *rest]) if called in _PASSING:
                node = rest[0] if called == "getattr" and rest else first
            case ast.Call(func=ast.Name(id="hasattr")):
                return ""
            case ast.Call():
                node = node.func
            case ast.Attribute():
                return node.attr
            case _:
                return ""


def off_by_default(value: Value, code: str) -> Branch | None:
    """The branches of a test for an option that is off by default."""
    if isinstance(value, Plain) and value.meaning == "off":
        return Branch(holds="off", because=f"`{code}` is off by default")
    return None


@lru_cache(maxsize=NAMES)
def by_name(name: str, hot: bool) -> Branch | None:
    """What a name alone says of the branches of a test for it."""
    because = f"`{name}`"
    if NO_MEANING.search(name):
        return None
    if UNSET.search(name):
        return Branch(holds="off", because=f"{because} is mostly unset")
    if ONCE_TRUE.search(name):
        return Branch(fails="rare", because=because)
    if name == "training" and hot:
        return Branch(truth=True, because=because)
    if TRAINING_FLAG.search(name):
        return Branch(fails="evaluation", because=because)
    if EVALUATION.search(name):
        return Branch(holds="evaluation", because=because)
    if RANK.search(name):
        return None
    if RARE.search(name):
        return Branch(holds="rare", because=because)
    return None
