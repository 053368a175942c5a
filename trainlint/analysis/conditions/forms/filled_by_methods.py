"""Methods that fill an attribute of what they are passed: `if task.teacher is None: self.build_teacher(task)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.names import dotted, end_position, nodes_in, position


def is_filled_by_method(question: Question, thing: ast.Attribute) -> bool:
    """Whether the branch calls a method of the object itself that assigns to this attribute of one of its arguments."""
    root, _, rest = (dotted(thing) or "").partition(".")
    return bool(rest) and any(
        isinstance(given, ast.Name) and given.id == root and _assigns(question, method, f"{parameter}.{rest}")
        for call, method in _methods_called(question)
        for parameter, given in _given(call, method)
    )


def _methods_called(question: Question) -> Iterator[tuple[ast.Call, Function]]:
    """The calls in the branch that run methods of the object itself, as far as its class stands in the file."""
    node, block = question.block.node, question.block
    if not isinstance(node, ast.If) or block.after_exit:
        return
    for item in node.orelse if block.negated else node.body:
        for call in nodes_in(item):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name() as called_on, attr=name)):
                    owner = question.flags.outline.self_class(called_on, block)
                    if owner is not None and name in owner.methods:
                        yield call, owner.methods[name]


def _given(call: ast.Call, method: Function) -> Iterator[tuple[str, ast.expr]]:
    for parameter in method.parameters[method.takes_object :]:
        given = method.argument_in(call, parameter.arg)
        if given is not None:
            yield parameter.arg, given


def _assigns(question: Question, method: Function, name: str) -> bool:
    first, last = position(method.node), end_position(method.node)
    return any(first <= place <= last for place in question.flags.assignments.of(name, method.body))
