"""Methods of tensors."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.calls.number_arguments import tell_numbers
from trainlint.interpreter.calls.places import non_blocking, place_of
from trainlint.interpreter.calls.transfers import move, moved
from trainlint.interpreter.libraries.tensors import (
    ANSWERING,
    KEEP_MASK,
    KEEP_SOURCE,
    MASKS,
    OF_SHAPE,
    ONE_WITHOUT_ARGUMENTS,
    PLAIN_METHODS,
    SEVERAL,
    SIZED,
    STRING_METHODS,
)
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.kinds import ARRAY, PLAIN, Array, Device, Items, Source, Stream, Tensor, Unknown
from trainlint.interpreter.values.value import Value

_HOST_METHODS: Final = PLAIN_METHODS | STRING_METHODS
_KNOWN_ON_HOST: Final = frozenset({"loader", "factory", "data", "array", "number", "observed", "computed"})
_MOVES: Final = frozenset({"cuda", "to", "type_as", "type"})


def tensor_method(run: Run, base: Tensor, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    """Call a method of a tensor, or of a structure of tensors."""
    read = _read(run, base, name, node)
    if read is not None:
        return read
    if name in _MOVES:
        return move(run, base, name, arguments, node)
    if base.container:
        part = _of_structure(base, name)
        if part is not None:
            return part
    if name == "get_device":
        return Device(base.place)
    if name in _HOST_METHODS:
        return Items((PLAIN,)) if name == "size" and not arguments.args else PLAIN
    _tell_waits(run, base, name, arguments, node)
    if name in ANSWERING:
        return PLAIN
    if name == "copy_":
        _copy(run, base, arguments, node)
        return base
    if name.startswith("new_"):
        return _new(run, base, name, arguments, node)
    match name:
        case "pin_memory":
            return base if base.place == "device" else base.but(place="pinned")
        case "keys":
            return Items((PLAIN,))
    return _result(base, name, arguments)


def _read(run: Run, base: Tensor, name: str, node: ast.Call) -> Value | None:
    """What the host gets by reading; None for other methods."""
    match name:
        case "item":
            if not base.on_host:
                run.tell(node, Happening.ITEM, "`.item()`", base)
            return PLAIN.read_by(base.read or node)
        case "tolist":
            if base.place == "device":
                run.tell(node, Happening.TO_LIST, "`.tolist()`", base)
            return Items((PLAIN,)).read_by(base.read or node)
        case "numpy":
            return ARRAY.read_by(base.read or node)  # a tensor of the device refuses it
        case "cpu":
            if not base.on_host:
                run.tell(node, Happening.COPY_TO_HOST, "`.cpu()`", base)
            return base.but(place="host", source="read").read_by(base.read or node)
    return None


def _of_structure(base: Tensor, name: str) -> Value | None:
    match name:
        case "items":
            return Stream(Items((PLAIN, base), fixed=True))
        case "values":
            return Stream(base)
        case "get" | "pop":
            return base
    return None


def _tell_waits(run: Run, base: Tensor, name: str, arguments: Arguments, node: ast.Call) -> None:
    args = arguments.args
    if base.place in ("device", "unknown"):
        if name in ANSWERING:
            run.tell(node, Happening.ANSWER, f"`.{name}()`", base)
        elif name in SIZED:
            run.tell(node, Happening.SIZED, f"`.{name}()`", base)
    if name == "repeat_interleave" and args and "output_size" not in arguments.named:
        run.reads(node, args[0], Happening.SIZED, "`.repeat_interleave()` without `output_size`")
    tell_numbers(run, name, None, arguments, node)


def _copy(run: Run, base: Tensor, arguments: Arguments, node: ast.Call) -> None:
    """`base.copy_(other)`."""
    source = arguments.args[0] if arguments.args else None
    if not isinstance(source, Tensor):
        return
    asynchronous = non_blocking(arguments, arguments.args[1:])
    if base.place == "device" and (not source.container or source.source == "loader"):
        moved(run, source, "device", node, "`.copy_()`", asynchronous=asynchronous)
    elif base.place != "device" and asynchronous:
        run.frame.copying = True
    elif base.place == "host" and source.place == "device":
        run.reads(node, source, Happening.COPY_TO_HOST, "`.copy_()`")


def _new(run: Run, base: Tensor, name: str, arguments: Arguments, node: ast.Call) -> Tensor:
    """`base.new_zeros(...)` and its kin: a tensor in the same place."""
    if name == "new_tensor" and not base.on_host and arguments.args:
        data = arguments.args[0]
        if isinstance(data, Items | Array | Unknown):
            run.tell(node, Happening.DATA_COPY, "`.new_tensor()`", base)
    given = arguments.named.get("device")
    place = place_of(given) if given is not None else base.place
    return Tensor(place or base.place, True if "bool" in text(node) else None, way=base.way)


def _result(base: Tensor, name: str, arguments: Arguments) -> Tensor:
    """Any other method: a tensor, on the device if one of those that take part is there."""
    part = () if name in OF_SHAPE else arguments.args
    others = any(isinstance(argument, Tensor) and argument.place == "device" for argument in part)
    mask = True if name in MASKS else base.mask if name in KEEP_MASK else False
    several = name in SEVERAL and (bool(arguments.args or arguments.named) or name not in ONE_WITHOUT_ARGUMENTS)
    source: Source = ""
    if name in KEEP_MASK or name in KEEP_SOURCE or base.source == "name":
        source = base.source
    elif base.place == "host" and base.source in _KNOWN_ON_HOST:
        source = "computed"
    return Tensor("device" if others else base.place, mask, several, source, base.way, makings=base.makings)
