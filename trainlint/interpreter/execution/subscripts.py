"""`base[index]`: waits of masks and bounds, copies of indices, and what a container holds."""

from __future__ import annotations

import ast

from trainlint.interpreter.execution.assignment import bounded, copied_for_use, selects
from trainlint.interpreter.libraries.guesses import by_name
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Choice, ClassValue, Object
from trainlint.interpreter.values.joining import element, joined
from trainlint.interpreter.values.kinds import (
    ANY_KEY,
    ARRAY_ITEM,
    PLAIN,
    UNKNOWN,
    Array,
    Items,
    Mapping_,
    Plain,
    Stream,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.value import Value


def subscript(run: Run, node: ast.Subscript, frame: Frame) -> Value:
    """What an index or key gives."""
    base, index = run.value(node.value, frame), run.value(node.slice, frame)
    match base:
        case Tensor():
            return _of_tensor(run, node, base, index)
        case Mapping_():
            return item_of(base, index)
        case Items():
            bounded(run, node, index, "an index of a list")
            return _of_items(node, base)
        case Choice():
            return joined(element(option) for option in base.options)
        case Stream():
            return element(base)
        case Array():
            return base if isinstance(index, Array) or _has_slice(node.slice) else ARRAY_ITEM
        case Object() if base.cls.find("__getitem__") is not None:
            getter = run.attribute(base, "__getitem__", node, frame)
            return run.call(getter, Arguments((index,)), node, frame)
        case ClassValue():
            return base  # a generic class with its parameters
    return _of_unknown(run, node, base, index)


def _of_unknown(run: Run, node: ast.Subscript, base: Value, index: Value) -> Value:
    """What a tensor of the device can index is one; else the key says what it is."""
    if isinstance(base, Unknown) and isinstance(index, Tensor) and index.place == "device":
        return _of_tensor(run, node, Tensor(way=("indexed by a tensor of the device",)), index)
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return by_name(node.slice.value) or UNKNOWN
    return UNKNOWN


def _has_slice(index: ast.expr) -> bool:
    return any(isinstance(part, ast.Slice) for part in (index.elts if isinstance(index, ast.Tuple) else (index,)))


def item_of(base: Mapping_, key: Value) -> Value:
    """The item of a mapping under a key."""
    known = isinstance(key, Plain) and isinstance(key.constant, str | int)
    if known and isinstance(key, Plain) and key.constant in base.items:
        return base.items[key.constant]
    if ANY_KEY in base.items:
        return base.items[ANY_KEY]
    return UNKNOWN if known else joined(base.items.values())


def _of_items(node: ast.Subscript, base: Items) -> Value:
    if isinstance(node.slice, ast.Slice):
        return Items((element(base),) if base.parts else ())
    if base.fixed:
        position = _integer(node.slice)
        if position is not None and -len(base.parts) <= position < len(base.parts):
            return base.parts[position]
    return element(base)


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None


def _of_tensor(run: Run, node: ast.Subscript, base: Tensor, index: Value) -> Tensor:
    if not base.on_host:
        parts = index.parts if isinstance(index, Items) else (index,)
        selecting = next((part for part in parts if selects(part, base)), None)
        if selecting is not None:
            run.tell(node, Happening.MASK_INDEX, "an index by a boolean mask", selecting)
        _copied_indices(run, node, base, index)
    if base.container and isinstance(node.slice, ast.Slice | ast.Tuple):
        return base.but(container=not isinstance(node.slice, ast.Tuple))
    return base


def _copied_indices(run: Run, node: ast.Subscript, base: Tensor, index: Value) -> None:
    """Tell what of an index is copied. It shows as well that the base is a tensor: no structure has such a key."""
    if base.place != "device":
        return
    for part in index.parts if isinstance(index, Items) and not index.listed else (index,):
        if copied_for_use(part) or _lists_numbers(part):
            run.tell(node, Happening.INDEX_COPY, "an index of the host", part)
    lists = node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,)
    for one in lists:
        if isinstance(one, ast.List | ast.ListComp):
            run.tell(node, Happening.INDEX_COPY, "a list as index", PLAIN)


def _lists_numbers(index: Value) -> bool:
    """Whether one of several indices is a list or a range of numbers, which is copied as a tensor."""
    return isinstance(index, Items) and bool(index.parts) and all(isinstance(part, Plain) for part in index.parts)


def slice_(run: Run, node: ast.Slice, frame: Frame) -> Value:
    """A slice is no tensor; Python reads its bounds."""
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            bounded(run, bound, run.value(bound, frame), "a bound of a slice")
    return PLAIN
