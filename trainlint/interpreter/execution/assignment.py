"""Assign to names, attributes and items."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.execution.attributes import note_change
from trainlint.interpreter.libraries.guesses import holds_options
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Frame
from trainlint.interpreter.machine.options import set_option
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import Choice, ClassValue, ModuleValue, Object, SuperValue
from trainlint.interpreter.values.definitions import Class
from trainlint.interpreter.values.joining import is_cpu, join, joined
from trainlint.interpreter.values.kinds import ANY_KEY, NOTHING, Array, Items, Mapping_, Plain, Tensor, Unknown, is_none
from trainlint.interpreter.values.value import Value

_HOST_MADE: Final = frozenset({"factory", "data", "array", "observed"})
"""Sources of host tensors that are surely not a batch or a result."""


def assign(run: Run, target: ast.expr, value: Value, frame: Frame) -> None:
    """Assign a value to any target."""
    match target:
        case ast.Name():
            if target.id in frame.global_names:
                names = frame.module.names
                names[target.id] = join(names[target.id], value) if target.id in names else value
            frame.names[target.id] = value
        case ast.Tuple() | ast.List():
            _unpack(run, target, value, frame)
        case ast.Starred():
            assign(run, target.value, value, frame)
        case ast.Attribute():
            note_change(run, target, frame)
            base = run.value(target.value, frame)
            set_attribute(run, base, target.attr, value)
            if isinstance(base, Unknown) and holds_options(text(target.value)):
                set_option(run, target.attr, value)
        case ast.Subscript():
            store_item(run, target, value, frame)


def _unpack(run: Run, target: ast.Tuple | ast.List, value: Value, frame: Frame) -> None:
    places = target.elts
    starred = any(isinstance(place, ast.Starred) for place in places)
    if isinstance(value, Items) and value.fixed and len(value.parts) == len(places) and not starred:
        for place, part in zip(places, value.parts, strict=True):
            assign(run, place, part, frame)
        return
    one = run.items(value, target, frame)
    for place in places:
        assign(run, place, Items((one,)) if isinstance(place, ast.Starred) else one, frame)


def set_attribute(run: Run, base: Value, name: str, value: Value) -> None:
    """Remember what an attribute is, besides what else it may be."""
    match base:
        case Choice():
            for option in base.options:
                set_attribute(run, option, name, value)
        case Object() | ClassValue() | SuperValue():
            cls = base.of.cls if isinstance(base, SuperValue) else base.cls
            _add_to_attribute(run, (cls, name), value)
        case ModuleValue():
            base.module.names[name] = value
        case Unknown():
            run.set_on_others.add(name)


def _add_to_attribute(run: Run, attribute: tuple[Class, str], value: Value) -> None:
    """Add to what an attribute may be; what only an option that is off by default assigns gives way to all else, but
    for the host as a device.
    """
    old = run.attributes.get(attribute)
    if run.heat == "off":
        if old is None:
            run.assigned_off.add(attribute)
        elif attribute not in run.assigned_off and not _stands_for_others(old):
            return
    elif attribute in run.assigned_off and not _stands_for_others(value):
        run.assigned_off.remove(attribute)
        old = None
    new = run.attributes[attribute] = value if old is None else join(old, value)
    if isinstance(old, Items | Mapping_) and new.key != old.key:
        run.changes[attribute[0]] = run.changes.get(attribute[0], 0) + 1


def _stands_for_others(value: Value) -> bool:
    """Whether a default stands for what options set: None, or the host as a device."""
    return is_none(value) or is_cpu(value)


def store_item(run: Run, target: ast.Subscript, value: Value, frame: Frame) -> None:
    """`base[index] = value`: waits and copies of tensors, and what a container holds from now on."""
    base, index = run.value(target.value, frame), run.value(target.slice, frame)
    if isinstance(base, Tensor):
        _store_in_tensor(run, target, base, index, value, frame)
    elif isinstance(base, Mapping_):
        key = index.constant if isinstance(index, Plain) and _is_key(index.constant) else ANY_KEY
        items = dict(base.items)
        if key in items and key is ANY_KEY:
            items[key] = join(items[key], value)
        elif len(items) < bounds.PARTS:
            items[key] = value
        put_back(run, target.value, Mapping_(items, base.maybe_none), frame)
    elif isinstance(base, Items):
        bounded(run, target, index, "an index of a list")
        put_back(run, target.value, Items((joined((*base.parts, value)),)), frame)


def _is_key(constant: object) -> bool:
    return constant is not NOTHING and isinstance(constant, str | int)


def _store_in_tensor(run: Run, target: ast.Subscript, base: Tensor, index: Value, value: Value, frame: Frame) -> None:
    if base.on_host:
        if isinstance(value, Tensor) and value.place == "device" and not value.container and not base.container:
            run.tell(target, Happening.HOST_WRITE, "a write into a host tensor", value)
        if base.container and isinstance(value, Tensor) and value.place == "device" and not _is_constant(index):
            put_back(run, target.value, base.but(place="device", source=""), frame)  # a loop over its keys moves all
        return
    if selects(index, base) and isinstance(value, Tensor) and value.is_one:
        run.tell(target, Happening.MASK_WRITE, "a write by a boolean mask", index)
    if base.place == "device":
        _copied_in_writing(run, target, index, value)


def _is_constant(index: Value) -> bool:
    return isinstance(index, Plain) and index.known


def _copied_in_writing(run: Run, target: ast.Subscript, index: Value, value: Value) -> None:
    if not isinstance(value, Array) and copied_for_use(value):  # NumPy's numbers are written as numbers
        run.tell(target, Happening.INDEX_COPY, "a write of a host tensor", value)
    for part in index.parts if isinstance(index, Items) else (index,):
        if isinstance(part, Array) and copied_for_use(part):
            run.tell(target, Happening.INDEX_COPY, "an index of the host", part)


def copied_for_use(value: Value) -> bool:
    """Whether a tensor of the device copies a value to use it: an array, or a tensor that the host made."""
    if isinstance(value, Array):
        return not value.is_item
    return isinstance(value, Tensor) and value.place == "host" and value.source in _HOST_MADE and not value.container


def selects(index: Value, base: Tensor) -> bool:
    """Whether an index is a mask on the device. A structure's index could be anything that is not surely there."""
    if not isinstance(index, Tensor) or not index.mask or index.container:
        return False
    return index.place == "device" if base.container else not index.on_host


def bounded(run: Run, node: ast.AST, value: Value, what: str) -> None:
    """Python asks an index or a bound for its number; what a structure holds may be a number already."""
    run.reads(node, value, Happening.BOUND, what, structures=isinstance(value, Tensor) and value.is_one)


def put_back(run: Run, place: ast.expr, value: Value, frame: Frame) -> None:
    """Store a container that has changed where it came from."""
    if isinstance(place, ast.Name):
        names = frame.names if place.id in frame.names else frame.module.names
        if place.id in names:
            names[place.id] = value
    elif isinstance(place, ast.Attribute):
        set_attribute(run, run.value(place.value, frame), place.attr, value)
