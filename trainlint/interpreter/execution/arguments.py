"""What the parameters of a function of the project are given."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Sized
from typing import Final, NamedTuple

from trainlint.interpreter import bounds
from trainlint.interpreter.execution.annotations import annotated_object, host_value
from trainlint.interpreter.machine.frame import Arguments
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

_HOLDING: Final = (Tensor, Items, Stream)


class Signature(NamedTuple):
    """The parameters of a function, but for `*args` and `**options`."""

    positional: tuple[str, ...]
    """Names of those that are given by position, or by position or name."""
    names: tuple[str, ...]
    """Names of all."""
    of_host: tuple[tuple[str, Value], ...]
    """Those whose annotation speaks of values of the host alone."""
    of_class: tuple[tuple[str, ast.expr], ...]
    """The others that are annotated, with their annotations."""


def parameters(function: Function, arguments: Arguments) -> Environment:
    """The names of the parameters with their values."""
    positional, names, annotated, of_class = _signature(function)
    spec, args, named = function.node.args, arguments.args, arguments.named
    values: Environment = dict(zip(positional, args, strict=False))
    further: Environment = {}
    for name, value in named.items():
        (values if name in names else further)[name] = value
    for name, default in _defaults(function, positional):
        if name not in values:
            values[name] = _default(default, arguments)
        elif isinstance(values[name], Unknown) and _is_flag(default):
            values[name] = PLAIN
    for name in names:
        values.setdefault(name, arguments.rest or UNKNOWN)
    for name, of_host in annotated:
        if _is_doubtful(values[name]):
            values[name] = of_host
    for name, annotation in of_class:
        if _is_doubtful(values[name]):
            values[name] = annotated_object(annotation, function.module, values[name])
    if spec.vararg is not None:
        values[spec.vararg.arg] = Items(tuple(args[len(positional) :]), fixed=not arguments.open)
    if spec.kwarg is not None:
        values[spec.kwarg.arg] = _named_rest(further, arguments)
    return values


def _signature(function: Function) -> Signature:
    """The parameters of a function, read once."""
    known: Signature | None = function.node.__dict__.get("trainlint_signature")
    if known is None:
        spec = function.node.args
        annotated = [(arg.arg, note, host_value(note)) for arg in function.parameters if (note := arg.annotation)]
        known = function.node.__dict__["trainlint_signature"] = Signature(
            tuple(arg.arg for arg in (*spec.posonlyargs, *spec.args)),
            tuple(arg.arg for arg in function.parameters),
            tuple((name, value) for name, _, value in annotated if value is not None),
            tuple((name, note) for name, note, value in annotated if value is None),
        )
    return known


def _defaults(function: Function, positional: Sequence[str]) -> list[tuple[str, Value]]:
    last = positional[len(positional) - len(function.defaults) :]
    by_name = zip(function.node.args.kwonlyargs, function.named_defaults, strict=False)
    return [
        *zip(last, function.defaults, strict=False),
        *((arg.arg, default) for arg, default in by_name if default is not None),
    ]


def _is_doubtful(value: Value) -> bool:
    """Whether an annotation knows better: nothing is known, or it may be a tensor or not."""
    return isinstance(value, Unknown) or (isinstance(value, Tensor) and value.container)


def _is_flag(default: Value) -> bool:
    """Whether a default says that the parameter is never a tensor."""
    return isinstance(default, Plain) and isinstance(default.constant, (bool, str))


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
    return any(isinstance(part, _HOLDING) for part in parts)
