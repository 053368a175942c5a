"""Read conditions for tests."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.branches.branch import Branch
from trainlint.interpreter.branches.names import last_name
from trainlint.interpreter.branches.read import read
from trainlint.interpreter.execution.operators import arithmetic
from trainlint.interpreter.values.callables import Object
from trainlint.interpreter.values.definitions import Class, Module
from trainlint.interpreter.values.kinds import COUNTER, FALSE, INNER_COUNTER, TRUE, UNKNOWN, Plain, Tensor
from trainlint.interpreter.values.value import Value

_MODULE: Final = Module("model.py", "model", ast.Module([], []))
MEANINGS: Final[dict[str, Value]] = {
    "counter": COUNTER,
    "inner": INNER_COUNTER,
    "tensor": Tensor(),
    "remainder": Plain(says=("", "rare")),
    "off": Plain(meaning="off"),
    "true": TRUE,
    "false": FALSE,
    "object": Object(Class(ast.ClassDef("Model", [], [], [], []), _MODULE, ())),
}
"""What a name may be, as the conditions' table writes it."""


def branch_of(condition: str, names: dict[str, Value] | None = None) -> Branch:
    """The branches of a condition that is asked in a training step; names not given are unknown."""

    def value_of(node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return Plain(node.value)
        if isinstance(node, ast.BinOp):
            return arithmetic(value_of(node.left), value_of(node.right), node.op)
        known = isinstance(node, ast.Name | ast.Attribute)
        return (names or {}).get(last_name(node), UNKNOWN) if known else UNKNOWN

    return read(ast.parse(condition, mode="eval").body, value_of, hot=True)


def answer(condition: str, names: dict[str, Value] | None = None) -> str:
    """What a condition says, as the table writes it."""
    branch = branch_of(condition, names)
    if branch.truth is not None:
        return "always" if branch.truth else "never"
    parts = [f"holds {branch.holds}" if branch.holds else "", f"fails {branch.fails}" if branch.fails else ""]
    return ", ".join(part for part in parts if part) or "-"
