"""Statements without blocks of their own."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.branches.read import read
from trainlint.interpreter.execution.assignment import assign, store_item
from trainlint.interpreter.execution.attributes import note_change
from trainlint.interpreter.execution.expressions import by_default
from trainlint.interpreter.execution.operators import arithmetic
from trainlint.interpreter.execution.tests import narrow, truth
from trainlint.interpreter.machine.frame import Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import COUNTER, NONE, NOTHING, PLAIN, Plain, Unknown
from trainlint.interpreter.values.value import Value

_TESTS: Final = (ast.Compare, ast.BoolOp)
_EXITS: Final = frozenset({"sys.exit", "exit", "quit", "os._exit"})


def expression(run: Run, node: ast.Expr, frame: Frame) -> bool:
    """An expression for its effects; the block ends at one that ends the process."""
    run.value(node.value, frame)
    match node.value:
        case ast.Call(func=ast.Attribute() as method):  # what is called for its result asks, and changes nothing
            note_change(run, method, frame)
    return isinstance(node.value, ast.Call) and text(node.value.func) in _EXITS


def return_(run: Run, node: ast.Return, frame: Frame) -> bool:
    """Keep what is returned."""
    value = NONE if node.value is None else _stored(run, node.value, run.value(node.value, frame), frame)
    frame.returned.append(value)
    return True


def raise_(run: Run, node: ast.Raise, frame: Frame) -> bool:
    """What an error's text reads is no cost."""
    quiet, run.quiet = run.quiet, True
    if node.exc is not None:
        run.value(node.exc, frame)
    run.quiet = quiet
    return True


def leave(run: Run, node: ast.Continue | ast.Break, frame: Frame) -> bool:
    """`continue` and `break` end the block."""
    return True


def global_(run: Run, node: ast.Global, frame: Frame) -> bool:
    """Names that are assigned in the module."""
    frame.global_names.update(node.names)
    return False


def assert_(run: Run, node: ast.Assert, frame: Frame) -> bool:
    """A test, which holds afterwards."""
    truth(run, node.test, frame)
    narrow(node.test, frame, holds=True)
    return False


def assignment(run: Run, node: ast.Assign, frame: Frame) -> bool:
    """`a = b = value`."""
    value = _stored(run, node.value, run.value(node.value, frame), frame)
    for target in node.targets:
        assign(run, target, value, frame)
    return False


def annotated_assignment(run: Run, node: ast.AnnAssign, frame: Frame) -> bool:
    """`name: kind = value`; in a class body the name is a field."""
    if node.value is not None:
        value = run.value(node.value, frame) if frame.cls is None else by_default(run, node.value, frame)
        assign(run, node.target, value, frame)
    if frame.cls is not None and isinstance(node.target, ast.Name):
        frame.cls.fields.setdefault(node.target.id, node.annotation)
    return False


def augmented_assignment(run: Run, node: ast.AugAssign, frame: Frame) -> bool:
    """`a += value`."""
    target = node.target
    if isinstance(target, ast.Subscript):
        run.value(target, frame)  # it is read before it is written
        store_item(run, target, run.value(node.value, frame), frame)
        return False
    old = run.value(target, frame)
    new = arithmetic(old, run.value(node.value, frame), node.op)
    if isinstance(new, Plain):
        new = COUNTER if isinstance(node.value, ast.Constant) else PLAIN
    assign(run, target, new, frame)
    return False


def _stored(run: Run, node: ast.expr, value: Value, frame: Frame) -> Value:
    """A test that is stored says what it says where it is asked."""
    remainder = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
    if not isinstance(value, Plain) and not (remainder and isinstance(value, Unknown)):
        return value
    if (isinstance(value, Plain) and value.constant is not NOTHING) or not (remainder or isinstance(node, _TESTS)):
        return value
    quiet, run.quiet = run.quiet, True
    branch = read(node, lambda inner: run.value(inner, frame), run.heat == "step")
    run.quiet = quiet
    return Plain(says=(branch.holds, branch.fails)) if branch.holds or branch.fails else value
