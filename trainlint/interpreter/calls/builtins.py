"""Python's own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.branches.instances import is_instance
from trainlint.interpreter.execution.assignment import set_attribute
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.options import by_default
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import ClassValue, Object
from trainlint.interpreter.values.joining import element, few, joined
from trainlint.interpreter.values.kinds import (
    COUNTER,
    INNER_COUNTER,
    NONE,
    PLAIN,
    UNKNOWN,
    Items,
    Loader,
    Mapping_,
    Plain,
    Stream,
    Tensor,
    Unknown,
    is_none,
)
from trainlint.interpreter.values.value import Value


def builtin(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call a function of Python by its name."""
    handler = _HANDLERS.get(name)
    return UNKNOWN if handler is None else handler(run, name, arguments, node, frame)


def _first(arguments: Arguments) -> Value:
    return arguments.args[0] if arguments.args else UNKNOWN


def _number(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = _first(arguments)
    surely = isinstance(first, Tensor) and first.source not in ("loader", "parameter") and name != "bool"
    run.reads(node, first, Happening.NUMBER, f"`{name}()`", structures=surely)
    return PLAIN


def _text(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    for argument in arguments.args:
        for value in (argument, *(argument.parts if isinstance(argument, Items) else ())):
            run.reads(node, value, Happening.FORMAT, f"`{name}()`")
    return PLAIN


def _largest(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """`max`, `min`, `any`, `all`, `sorted`: compare what they are given one by one."""
    first = _first(arguments)
    many = [*arguments.args] if len(arguments.args) > 1 else []
    if not many and isinstance(first, Items | Stream | Mapping_):
        many = [element(first)]
    for value in many:
        if isinstance(value, Tensor) and value.source != "parameter":
            run.reads(node, value, Happening.COMPARE, f"Python's `{name}()`")
    if name == "sorted":
        return first
    if name in ("any", "all"):
        return PLAIN
    tensor = next((value for value in many if isinstance(value, Tensor)), None)
    return joined(many) if tensor is None else tensor.but(source="")


def _sum(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return element(_first(arguments))


def _counter(run: Run) -> Value:
    """What a loop counts: steps, or what it goes through inside of each step."""
    return INNER_COUNTER if run.heat == "step" else COUNTER


def _range(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    for argument in arguments.args:
        run.reads(node, argument, Happening.BOUND, "`range()`")
    return Items((_counter(run),))


def _enumerate(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return Stream(Items((_counter(run), run.items(_first(arguments), node, frame)), fixed=True))


def _zip(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return Stream(Items(tuple(run.items(value, node, frame) for value in arguments.args), fixed=True))


def _sequence(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    if not arguments.args:
        return Items((), fixed=name != "set")
    first = arguments.args[0]
    if name == "iter":
        run.begin_pass(first, node, frame)
    if isinstance(first, Object):
        return Stream(run.items(first, node, frame))
    if isinstance(first, Items) and name in ("list", "tuple"):
        return Items(first.parts, first.fixed, first.maybe_none, listed=name == "list")
    return Items((PLAIN,)) if isinstance(first, Mapping_) else first


def _next(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = _first(arguments)
    if isinstance(first, Loader):
        run.effects.add("takes_batches")
    run.take_batches(first, node, frame)
    if isinstance(first, Object) and first.cls.find("__next__") is not None:
        return run.call(run.attribute(first, "__next__", node, frame), Arguments(), node, frame)
    if isinstance(first, Object):
        return run.items(first, node, frame)
    return element(first)


def _dict(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = _first(arguments)
    if isinstance(first, Mapping_):
        return Mapping_(few({**first.items, **arguments.named}))
    return UNKNOWN if arguments.args else Mapping_(dict(arguments.named))


def _map(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    if len(arguments.args) < 2:
        return UNKNOWN
    each = tuple(run.items(value, node, frame) for value in arguments.args[1:])
    return Stream(run.call(arguments.args[0], Arguments(each), node, frame))


def _filter(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return arguments.args[1] if len(arguments.args) > 1 else UNKNOWN


def _same(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return _first(arguments)


def _plain(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return PLAIN


def _isinstance(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    if len(arguments.args) < 2 or not isinstance(node, ast.Call) or len(node.args) < 2:
        return PLAIN
    known = is_instance(arguments.args[0], node.args[1], lambda _: arguments.args[1])
    return PLAIN if known is None else Plain(known)


def _type(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = _first(arguments)
    return ClassValue(first.cls) if isinstance(first, Object) else UNKNOWN


def _getattr(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    wanted = _string(run, 1, arguments, node)
    if wanted is None:
        return UNKNOWN
    found = run.attribute(_first(arguments), wanted, node, frame)
    if not isinstance(found, Unknown) or len(arguments.args) < 3:
        return found
    default = arguments.args[2]
    if not isinstance(default, Plain) or is_none(default):
        return UNKNOWN
    return by_default(run, wanted, False) if default.constant is False else PLAIN


def _eval(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """`eval("Net(64)")`: the code of a string, where it stands."""
    code = _string(run, 0, arguments, node)
    if code is None or len(code) > bounds.EVALUATED_TEXT:
        return UNKNOWN
    try:
        tree = ast.parse(code.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    for inner in ast.walk(tree):
        ast.copy_location(inner, node)
    return run.value(tree, frame)


def _string(run: Run, position: int, arguments: Arguments, node: ast.AST) -> str | None:
    """A string that is given: a constant, or an option of a command line with what it is by default."""
    value = arguments.args[position] if len(arguments.args) > position else UNKNOWN
    return value.text or value.default or None if isinstance(value, Plain) else None


def _setattr(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    if len(arguments.args) > 2:
        wanted = arguments.args[1]
        if isinstance(wanted, Plain) and wanted.text is not None:
            set_attribute(run, arguments.args[0], wanted.text, arguments.args[2])
    return NONE


_Handler = Callable[[Run, str, Arguments, ast.AST, Frame], Value]
_HANDLERS: Final[dict[str, _Handler]] = {
    **dict.fromkeys(("float", "int", "bool", "round", "complex"), _number),
    **dict.fromkeys(("print", "str", "repr", "format"), _text),
    **dict.fromkeys(("max", "min", "sorted", "any", "all"), _largest),
    **dict.fromkeys(("list", "tuple", "set", "reversed", "iter"), _sequence),
    **dict.fromkeys(("abs", "pow"), _same),
    **dict.fromkeys(("len", "hasattr", "id", "ord", "callable", "issubclass", "hash", "divmod", "input"), _plain),
    "sum": _sum,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "next": _next,
    "dict": _dict,
    "map": _map,
    "filter": _filter,
    "isinstance": _isinstance,
    "type": _type,
    "getattr": _getattr,
    "eval": _eval,
    "setattr": _setattr,
}
