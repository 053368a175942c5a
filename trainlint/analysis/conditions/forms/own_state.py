"""States of an object that the branch which tests for them ends for good: `if self.scale == 0: self.reset_scale(x)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, Class, Function, How, outside_with
from trainlint.analysis.syntax.names import constant, dotted, end_position, nodes_in, position
from trainlint.analysis.tables.host_reads import ITEM

_GROWS = "only where what is kept must grow"


def not_yet(question: Question) -> ast.Attribute | None:
    """The attribute of which a test asks whether it has a certain value: `self.scale.item() == 0.0`."""
    match question.test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
            same = isinstance(operator, ast.Eq) == question.outcome
            if not same or not isinstance(constant(right), (int, float, str)):
                return None
            if isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute) and left.func.attr == ITEM.name:
                left = left.func.value
            return left if isinstance(left, ast.Attribute) else None
    return None


def ends_for_good(question: Question, thing: ast.expr) -> bool:
    """Whether the branch, or a method of the object that it calls, ends a state, and nothing else brings it back.

    Elsewhere only the constructor and the body of the class assign the attribute.
    """
    if not isinstance(thing, ast.Attribute) or not isinstance(thing.value, ast.Name):
        return False
    owner = question.flags.outline.self_class(thing.value, question.block)
    bindings = owner.attributes.get(thing.attr, []) if owner is not None else []
    if owner is None or not bindings:
        return False
    called = _bodies_called(question.block, owner, thing.value.id)
    inside = [item for item in bindings if item.block.within(question.block) or _body_around(item.block) in called]
    if not any(outside_with(item.block) in (question.block, *called) for item in inside):
        return False  # it may not be ended
    return all(_ends(question, item) for item in inside) and all(
        _is_first_value(item) for item in bindings if item not in inside
    )


def outgrown(question: Question) -> Condition | None:
    """`if n > self.table.size(0): self.table = made(n)`: what an object keeps grows until it is large enough."""
    match question.test:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE() as operator], comparators=[right]):
            kept = _measured(right if isinstance(operator, ast.Gt | ast.GtE) == question.outcome else left)
            if kept is not None and _is_assigned_anew(question, kept):
                return Condition(ConditionKind.FIRST_TIME, question.test.lineno, _GROWS, rare=True)
    return None


def _measured(node: ast.expr) -> ast.Attribute | None:
    """The attribute of whose size an expression tells."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute() as kept, attr="size")):
            return kept
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute() as kept]):
            return kept
        case ast.Subscript(value=ast.Attribute(value=ast.Attribute() as kept, attr="shape")):
            return kept
    return None


def _is_assigned_anew(question: Question, kept: ast.Attribute) -> bool:
    """Whether the branch, or a method of the object that it calls, assigns to an attribute of the object."""
    if not isinstance(kept.value, ast.Name):
        return False
    owner = question.flags.outline.self_class(kept.value, question.block)
    bindings = owner.attributes.get(kept.attr, []) if owner is not None else []
    called = _bodies_called(question.block, owner, kept.value.id) if owner is not None else []
    return any(item.block.within(question.block) or _body_around(item.block) in called for item in bindings)


def _bodies_called(block: Block, owner: Class, name: str) -> list[Block]:
    """The bodies of the methods of the object itself that a branch calls."""
    node = block.node
    if not isinstance(node, ast.If) or block.after_exit:
        return []
    calls = [part for item in (node.orelse if block.negated else node.body) for part in nodes_in(item)]
    found = []
    for call in calls:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=called_on), attr=method)) if called_on == name:
                if method in owner.methods:
                    found.append(owner.methods[method].body)
    return found


def _body_around(block: Block) -> Block | None:
    return next((outer for outer in block.outwards() if outer.kind is BlockKind.FUNCTION), None)


def _ends(question: Question, binding: Binding) -> bool:
    """Whether an assignment gives the attribute a value with which the test comes out otherwise."""
    if binding.how is not How.ASSIGN or binding.path:
        return False
    value = constant(binding.value)
    if value is ...:
        return True
    if isinstance(question.test, ast.Compare):
        return value != constant(question.test.comparators[0])
    return bool(value) is not question.outcome


def _is_first_value(binding: Binding) -> bool:
    """Whether an assignment stands in the constructor or in the body of the class."""
    body = _body_around(binding.block)
    name = getattr(body.node, "name", "") if body is not None else "__init__"
    return binding.how is How.ASSIGN and name in ("__init__", "__post_init__")


def is_filled_by_method(question: Question, thing: ast.Attribute) -> bool:
    """Whether the branch calls a method of the object itself that assigns to this attribute of one of its arguments."""
    root, _, rest = (dotted(thing) or "").partition(".")
    return bool(rest) and any(
        isinstance(given, ast.Name) and given.id == root and _assigns(question, method, f"{parameter}.{rest}")
        for call, method in _methods_called(question)
        for parameter, given in _arguments_by_parameter(call, method)
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


def _arguments_by_parameter(call: ast.Call, method: Function) -> Iterator[tuple[str, ast.expr]]:
    for parameter in method.parameters[method.takes_object :]:
        given = method.argument_in(call, parameter.arg)
        if given is not None:
            yield parameter.arg, given


def _assigns(question: Question, method: Function, name: str) -> bool:
    first, last = position(method.node), end_position(method.node)
    return any(first <= place <= last for place in question.flags.assignments.of(name, method.body))
