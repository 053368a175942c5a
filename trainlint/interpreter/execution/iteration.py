"""What a loop over a value gives each time."""

from __future__ import annotations

import ast

from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Choice, Object
from trainlint.interpreter.values.joining import element, joined
from trainlint.interpreter.values.kinds import COUNTER, PLAIN, UNKNOWN, Items, Mapping_, Stream, Tensor
from trainlint.interpreter.values.value import Value


def items(run: Run, value: Value, node: ast.AST, frame: Frame) -> Value:
    """The item of an iteration."""
    match value:
        case Object():
            return _of_object(run, value, node, frame)
        case Choice():
            return joined(items(run, option, node, frame) for option in value.options)
        case Mapping_():
            return PLAIN
    return element(value)


def _of_object(run: Run, value: Object, node: ast.AST, frame: Frame) -> Value:
    """By `__iter__` and `__next__`, or by `__getitem__`, or what was added to a module list."""
    cls = value.cls
    if cls.find("__iter__") is not None:
        got = run.call(run.attribute(value, "__iter__", node, frame), Arguments(), node, frame)
        if isinstance(got, Stream | Items | Tensor):
            return element(got)
        if isinstance(got, Object) and got.cls.find("__next__") is not None:
            return run.call(run.attribute(got, "__next__", node, frame), Arguments(), node, frame)
    if cls.find("__getitem__") is not None:
        return run.call(run.attribute(value, "__getitem__", node, frame), Arguments((COUNTER,)), node, frame)
    return UNKNOWN
