"""Expressions, but for names, attributes, subscripts and calls."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.execution.assignment import assign
from trainlint.interpreter.execution.operators import arithmetic, comparison
from trainlint.interpreter.execution.tests import asked, follows, truth
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Frame
from trainlint.interpreter.machine.options import set_option
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import FunctionValue
from trainlint.interpreter.values.definitions import Function
from trainlint.interpreter.values.joining import element, few, join, joined
from trainlint.interpreter.values.kinds import ANY_KEY, NONE, PLAIN, UNKNOWN, Array, Items, Mapping_, Plain, Tensor
from trainlint.interpreter.values.value import Value

_IN: Final = (ast.In, ast.NotIn)


def constant(run: Run, node: ast.Constant, frame: Frame) -> Value:
    """None, flags, strings and small integers are known."""
    known: Value | None = node.__dict__.get("trainlint_value")
    if known is None:
        value = node.value
        small = isinstance(value, int) and abs(value) < bounds.LARGEST_NUMBER
        known = Plain(value) if value is None or isinstance(value, str) or small else PLAIN
        node.__dict__["trainlint_value"] = known
    return known


def sequence(run: Run, node: ast.Tuple | ast.List, frame: Frame) -> Value:
    """A tuple or list in the code."""
    run.spend(frame, len(node.elts))
    parts = [
        element(run.value(part.value, frame)) if isinstance(part, ast.Starred) else run.value(part, frame)
        for part in node.elts
    ]
    fixed = len(parts) <= bounds.PARTS and not any(isinstance(part, ast.Starred) for part in node.elts)
    return Items(tuple(parts[: bounds.PARTS]), fixed, listed=isinstance(node, ast.List))


def set_(run: Run, node: ast.Set, frame: Frame) -> Value:
    """A set in the code."""
    run.spend(frame, len(node.elts))
    return Items(tuple([run.value(part, frame) for part in node.elts][: bounds.PARTS]))


def mapping(run: Run, node: ast.Dict, frame: Frame) -> Value:
    """A dict in the code."""
    run.spend(frame, len(node.values))
    items: dict[object, Value] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = run.value(value_node, frame)
        if key_node is None:
            if isinstance(value, Mapping_):
                items.update(value.items)
            continue
        key = run.value(key_node, frame)
        slot = key.constant if isinstance(key, Plain) and isinstance(key.constant, str | int) else ANY_KEY
        items[slot] = join(items[slot], value) if slot in items else value
        if frame.is_module and isinstance(slot, str):
            set_option(run, slot, value)
    return Mapping_(few(items))


def inner(run: Run, node: ast.Starred | ast.Await, frame: Frame) -> Value:
    """What a star or `await` stands before."""
    return run.value(node.value, frame)


def named(run: Run, node: ast.NamedExpr, frame: Frame) -> Value:
    """`name := value`."""
    value = run.value(node.value, frame)
    assign(run, node.target, value, frame)
    return value


def lambda_(run: Run, node: ast.Lambda, frame: Frame) -> Value:
    """A function without a name."""
    function = run.functions.get(id(node))
    if function is None:
        function = run.functions[id(node)] = Function(node, frame.module, None)
    return define(run, function, frame)


def define(run: Run, function: Function, frame: Frame) -> FunctionValue:
    """A function as it is defined: with the scopes around and the defaults of its parameters."""
    if frame.function is not None:
        function.scopes = (frame.names, *frame.scopes)
    else:
        function.scopes = frame.scopes
    spec = function.node.args
    function.defaults = tuple(by_default(run, default, frame) for default in spec.defaults)
    function.named_defaults = tuple(
        None if default is None else by_default(run, default, frame) for default in spec.kw_defaults
    )
    return FunctionValue(function)


def by_default(run: Run, node: ast.expr, frame: Frame) -> Value:
    """What a parameter or a field is by default: a number that is zero is off."""
    value = run.value(node, frame)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value == 0:
        return value if node.value is False else Plain(value.constant, "off") if isinstance(value, Plain) else value
    return value


def choice(run: Run, node: ast.IfExp, frame: Frame) -> Value:
    """`one if test else other`."""
    branch = truth(run, node.test, frame)
    if branch.truth is not None:
        return run.value(node.body if branch.truth else node.orelse, frame)
    heat = run.heat
    run.heat = run.cooled(branch.holds)
    run.look_at(node.body, heat)
    one = run.value(node.body, frame)
    run.heat = heat
    run.heat = run.cooled(branch.fails)
    run.look_at(node.orelse, heat)
    other = run.value(node.orelse, frame)
    run.heat = heat
    return join(one, other)


def and_or(run: Run, node: ast.BoolOp, frame: Frame) -> Value:
    """`a and b`: all but the last are asked for their truth."""
    values, heat = [], run.heat
    for part in node.values:
        run.look_at(part, heat)
        if part is node.values[-1]:
            values.append(run.value(part, frame))
            continue
        branch, value_of = asked(run, part, frame)
        values.append(value_of(part))
        run.heat = follows(run, node.op, branch)
    run.heat = heat
    return joined(values)


def unary(run: Run, node: ast.UnaryOp, frame: Frame) -> Value:
    """`not a`, `-a`, `~a`."""
    if isinstance(node.op, ast.Not):
        branch, _ = asked(run, node, frame)
        return PLAIN if branch.truth is None else Plain(branch.truth)
    value = run.value(node.operand, frame)
    if not isinstance(value, Plain):
        return value
    if isinstance(node.op, ast.USub) and value.known and isinstance(value.constant, int):
        return Plain(-value.constant)
    return PLAIN


def binary(run: Run, node: ast.BinOp, frame: Frame) -> Value:
    """Arithmetic, and formatting by `%`."""
    left, right = run.value(node.left, frame), run.value(node.right, frame)
    if isinstance(node.op, ast.Mod) and isinstance(left, Plain) and (left.text is not None or _has_text(node.left)):
        for value in right.parts if isinstance(right, Items) else (right,):
            run.reads(node, value, Happening.FORMAT, "formatting")
        return PLAIN
    result = arithmetic(left, right, node.op)
    return result.read_by(left.read) if isinstance(result, Array) else result  # an action with noise


def _has_text(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))


def compare(run: Run, node: ast.Compare, frame: Frame) -> Value:
    """A comparison of two or more values."""
    left = run.value(node.left, frame)
    result: Value = PLAIN
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = run.value(right_node, frame)
        if isinstance(operator, _IN) and isinstance(right, Items):
            run.reads(node, left, Happening.COMPARE, "`in`")
        elif isinstance(operator, _IN) and _is_number(left):
            run.reads(node, right, Happening.COMPARE, "`in`", structures=True)
        one = comparison(left, operator, right)
        if isinstance(one, Tensor):
            result = one
        left = right
    return result


def _is_number(value: Value) -> bool:
    """Whether a value is a number: no structure has it for a key."""
    return isinstance(value, Plain) and isinstance(value.constant, int)


def formatted(run: Run, node: ast.JoinedStr, frame: Frame) -> Value:
    """An f-string. The first tensor in it is told: the host has waited for the others then."""
    told = False
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = run.value(part.value, frame)
            told = told or run.reads(part.value, value, Happening.FORMAT, "formatting")
    return PLAIN


def _comprehension(run: Run, generators: list[ast.comprehension], parts: list[ast.expr], frame: Frame) -> list[Value]:
    names = frame.names
    run.spend(frame, len(names))
    frame.names = dict(names)
    for generator in generators:
        item = run.items(run.value(generator.iter, frame), generator.iter, frame)
        assign(run, generator.target, item, frame)
        for test in generator.ifs:
            truth(run, test, frame)
    values = [run.value(part, frame) for part in parts]
    frame.names = names
    return values


def list_comprehension(run: Run, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, frame: Frame) -> Value:
    """`[a for b in c]` and its kin."""
    parts = tuple(_comprehension(run, node.generators, [node.elt], frame))
    return Items(parts, listed=isinstance(node, ast.ListComp))


def dict_comprehension(run: Run, node: ast.DictComp, frame: Frame) -> Value:
    """`{a: b for c in d}`."""
    return Mapping_({ANY_KEY: _comprehension(run, node.generators, [node.key, node.value], frame)[1]})


def yield_(run: Run, node: ast.Yield, frame: Frame) -> Value:
    """Keep what is yielded."""
    frame.yielded.append(NONE if node.value is None else run.value(node.value, frame))
    return UNKNOWN


def yield_from(run: Run, node: ast.YieldFrom, frame: Frame) -> Value:
    """Keep the items of what is yielded from."""
    source = run.value(node.value, frame)
    run.begin_pass(source, node, frame)
    frame.yielded.append(element(source))
    return UNKNOWN
