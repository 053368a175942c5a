"""What the parameters of a function of the project are given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sized

from trainlint.interpreter import bounds
from trainlint.interpreter.execution.annotations import host_value
from trainlint.interpreter.machine.run import Arguments
from trainlint.interpreter.values.definitions import Function
from trainlint.interpreter.values.kinds import (
    ANY_KEY,
    PLAIN,
    UNKNOWN,
    Items,
    Mapping_,
    Plain,
    Stream,
    Tensor,
    Unknown,
    is_none,
)
from trainlint.interpreter.values.value import Environment, Value


def parameters(function: Function, arguments: Arguments) -> Environment:
    """The names of the parameters with their values."""
    spec = function.node.args
    positional = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    names = {*positional, *(arg.arg for arg in spec.kwonlyargs)}
    args = arguments.args
    values: Environment = dict(zip(positional, args, strict=False))
    values.update({name: value for name, value in arguments.named.items() if name in names})
    further = {name: value for name, value in arguments.named.items() if name not in names}
    for name, default in _defaults(function, positional):
        if name not in values:
            values[name] = _default(default, arguments)
        elif isinstance(values[name], Unknown) and _is_flag(default):
            values[name] = PLAIN
    for name in names:
        values.setdefault(name, arguments.rest or UNKNOWN)
    _believe_annotations(values, (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))
    if spec.vararg is not None:
        values[spec.vararg.arg] = Items(tuple(args[len(positional) :]), fixed=not arguments.open)
    if spec.kwarg is not None:
        values[spec.kwarg.arg] = _named_rest(further, arguments)
    return values


def _defaults(function: Function, positional: list[str]) -> list[tuple[str, Value]]:
    last = positional[len(positional) - len(function.defaults) :]
    by_name = zip(function.node.args.kwonlyargs, function.named_defaults, strict=False)
    return [
        *zip(last, function.defaults, strict=False),
        *((arg.arg, default) for arg, default in by_name if default is not None),
    ]


def _believe_annotations(values: Environment, parameters: Iterable[ast.arg]) -> None:
    for parameter in parameters:
        annotated = host_value(parameter.annotation)
        if annotated is not None and _is_doubtful(values[parameter.arg]):
            values[parameter.arg] = annotated


def _is_doubtful(value: Value) -> bool:
    """Whether an annotation knows better: nothing is known, or it may be a tensor or not."""
    return isinstance(value, Unknown) or (isinstance(value, Tensor) and value.container)


def _is_flag(default: Value) -> bool:
    """Whether a default says that the parameter is never a tensor."""
    return isinstance(default, Plain) and isinstance(default.constant, bool | str)


def _default(default: Value, arguments: Arguments) -> Value:
    """A default, unless the argument may be among those that are not known."""
    if arguments.rest is not None:
        return arguments.rest
    if not arguments.open:
        return default
    return PLAIN if isinstance(default, Plain) and not is_none(default) else UNKNOWN.or_none()


def _named_rest(further: dict[str, Value], arguments: Arguments) -> Value:
    if not arguments.open:
        return Mapping_(dict(further))
    return Mapping_({**further, ANY_KEY: UNKNOWN}) if further else UNKNOWN


def handed(value: Value, step: str, depth: int = 0) -> Value:
    """A value as the called function gets it: its way says who passed it."""
    match value:
        case Tensor():
            return value.but(step=step)
        case Items() if _is_small(value.parts, depth) and _holds_tensors(value.parts):
            parts = tuple(handed(part, step, depth + 1) for part in value.parts)
            return Items(parts, value.fixed, value.maybe_none)
        case Mapping_() if _is_small(value.items, depth):
            items = {key: handed(item, step, depth + 1) for key, item in value.items.items()}
            return Mapping_(items, value.maybe_none)
    return value


def _is_small(parts: Sized, depth: int) -> bool:
    return depth < bounds.NESTED_CONTAINERS and 0 < len(parts) < bounds.FEW_PARTS


def _holds_tensors(parts: tuple[Value, ...]) -> bool:
    return any(isinstance(part, Tensor | Items | Stream) for part in parts)
