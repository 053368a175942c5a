"""What a value is where two ways of the program meet, and what one item of a container is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from trainlint.interpreter import bounds
from trainlint.interpreter.values.callables import Choice, FunctionValue, Object, is_callable
from trainlint.interpreter.values.kinds import (
    ARRAY_ITEM,
    NOTHING,
    PLAIN,
    UNKNOWN,
    Array,
    Device,
    Items,
    Loader,
    Mapping_,
    Meaning,
    Place,
    Plain,
    Source,
    Stream,
    Tensor,
    Unknown,
    is_none,
)
from trainlint.interpreter.values.value import Value

_STRONGEST = (Tensor, Object, FunctionValue, Loader, Mapping_, Items, Array, Stream, Device)
"""Of two values of different kinds the first of these is kept: what could wait or be called."""


def joined(values: Iterable[Value]) -> Value:
    """All values as one; `UNKNOWN` if there are none."""
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return UNKNOWN if result is None else result


def join(left: Value, right: Value, depth: int = 0) -> Value:
    """What holds for both. What is unknown gives way to what is known, and None is remembered as a possibility."""
    if left is right or (left.known_key or left.key) == (right.known_key or right.key):
        return left if left.read is not None else left.read_by(right.read)
    if isinstance(left, Unknown):
        return _or_unknown(right)
    if isinstance(right, Unknown):
        return _or_unknown(left)
    if is_none(left):
        return right.or_none()
    if is_none(right):
        return left.or_none()
    maybe = left.maybe_none or right.maybe_none
    return _of_one_kind(left, right, maybe, depth) or _of_two_kinds(left, right, maybe)


def _or_unknown(value: Value) -> Value:
    """A value where something unknown may be in its place: its kind is believed, but no constant, no option, and not
    the host as a device.
    """
    if is_none(value) or is_cpu(value):
        return UNKNOWN.or_none() if value.maybe_none or is_none(value) else UNKNOWN
    if isinstance(value, Plain) and (value.meaning == "off" or value.constant is not NOTHING or value.default):
        return Plain(maybe_none=value.maybe_none)
    return value


def is_cpu(value: Value) -> bool:
    """Whether a value is the host as a device, or its name, and nothing else."""
    return value.place == "host" if isinstance(value, Device) else isinstance(value, Plain) and value.text == "cpu"


def _of_one_kind(left: Value, right: Value, maybe: bool, depth: int) -> Value | None:
    match left, right:
        case Tensor(), Tensor():
            return _tensors(left, right, maybe)
        case Plain(), Plain():
            default = left.default if left.default == right.default else ""
            return Plain(meaning=_meaning(left, right), says=_says(left, right), maybe_none=maybe, default=default)
        case Items(), Items():
            return _items(left, right, maybe, depth)
        case Mapping_(), Mapping_():
            return _mappings(left, right, maybe, depth)
        case Stream(), Stream():
            item = left.item if depth > bounds.NESTED_CONTAINERS else join(left.item, right.item, depth + 1)
            both_load = isinstance(left, Loader) and isinstance(right, Loader)
            return Loader(item, maybe) if both_load else Stream(item, maybe)
        case Array(), Array():
            return Array(left.is_item or right.is_item, maybe)
        case Device(), Device():
            return Device(_place(left.place, right.place), maybe)
        case (Device() as device, Plain() as named) | (Plain() as named, Device() as device) if named.text is not None:
            return Device(_place(device.place, "host" if is_cpu(named) else "device"), maybe)
    return None


def _says(left: Plain, right: Plain) -> tuple[str, str] | None:
    """What a stored test says: a flag beside it that is off holds never, and one that is on fails never."""
    if left.says == right.says:
        return left.says
    stored, flag = (right, left) if left.says is None else (left, right)
    if stored.says is None or not flag.known:
        return None
    holds, fails = stored.says
    says = ("", fails) if flag.constant else (holds, "")
    return says if any(says) else None


def _meaning(left: Plain, right: Plain) -> Meaning:
    """An option that something turns on is not off."""
    if "off" not in (left.meaning, right.meaning):
        return left.meaning or right.meaning
    both = all(one.meaning == "off" or not (one.constant is NOTHING or one.constant) for one in (left, right))
    return "off" if both else ""


def _tensors(left: Tensor, right: Tensor, maybe: bool) -> Tensor:
    return Tensor(
        _place(left.place, right.place),
        left.mask if left.mask == right.mask else None,
        left.container or right.container,
        _source(left, right),
        left.way,
        maybe,
        tuple(dict.fromkeys((*left.makings, *right.makings)))[: bounds.LOADERS],
    )


def _source(left: Tensor, right: Tensor) -> Source:
    """What may be a number here may be one wherever it meets another."""
    if left.source == right.source or left.source == "mixed":
        return left.source
    return "mixed" if right.source == "mixed" else ""


def _place(left: Place, right: Place) -> Place:
    """The place of one of two tensors or devices: what may be on a GPU is."""
    if "device" in (left, right):
        return "device"
    return left if left == right else "unknown"


def _items(left: Items, right: Items, maybe: bool, depth: int) -> Items:
    if depth > bounds.NESTED_CONTAINERS:
        return left
    listed = left.listed and right.listed
    if left.fixed and right.fixed and len(left.parts) == len(right.parts):
        parts = tuple(join(one, other, depth + 1) for one, other in zip(left.parts, right.parts, strict=True))
        return Items(parts, True, maybe, listed)
    both = (*left.parts, *right.parts)[: bounds.JOINED_PARTS]
    return Items((joined(both),) if both else (), False, maybe, listed)


def _mappings(left: Mapping_, right: Mapping_, maybe: bool, depth: int) -> Mapping_:
    items = dict(left.items)
    if depth <= bounds.NESTED_CONTAINERS:
        for key, value in right.items.items():
            items[key] = join(items[key], value, depth + 1) if key in items else value
    return Mapping_(few(items), maybe)


def few(items: dict[Any, Value]) -> dict[Any, Value]:
    """The first items of a dict: as many as are known one by one."""
    return items if len(items) <= bounds.PARTS else dict(islice(items.items(), bounds.PARTS))


def _choice(left: Value, right: Value, maybe: bool) -> Value:
    options: dict[object, Value] = {}
    for value in (*_options(left), *_options(right)):
        if is_callable(value):
            options.setdefault((type(value), value.identity(0)), value)
    return Choice(tuple(options.values())[: bounds.OPTIONS], maybe)


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Choice) else (value,)


def _of_two_kinds(left: Value, right: Value, maybe: bool) -> Value:
    if isinstance(left, Choice) or isinstance(right, Choice) or (is_callable(left) and is_callable(right)):
        return _choice(left, right, maybe)
    for kind in _STRONGEST:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, kind):
                if isinstance(one, Tensor):
                    container = one.container or isinstance(other, Items | Mapping_)
                    source: Source = "mixed" if one.container and isinstance(other, Plain) else one.source
                    return one.but(container=container, source=source, maybe_none=maybe)
                return one.or_none() if maybe else one
    return left


def element(value: Value) -> Value:
    """What one item of a container is, when an unknown one is taken."""
    match value:
        case Items():
            return _one_of(value.parts)
        case Mapping_():
            return _one_of(tuple(value.items.values()))
        case Stream():
            return value.item
        case Tensor():
            return value
        case Array():
            return ARRAY_ITEM
        case Choice():
            return joined(element(option) for option in value.options)
        case Plain():
            return PLAIN
    return UNKNOWN


def _one_of(parts: tuple[Value, ...]) -> Value:
    one = joined(parts)
    if isinstance(one, Tensor) and any(isinstance(part, Plain) and not is_none(part) for part in parts):
        return one.but(container=True, source="mixed")
    return one
