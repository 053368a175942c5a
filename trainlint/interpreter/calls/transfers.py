"""Copies between the host and the device."""

from __future__ import annotations

import ast

from trainlint.interpreter.calls.places import is_dtype, non_blocking, place_of
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import Choice, Name
from trainlint.interpreter.values.kinds import NONE, Device, Place, Tensor
from trainlint.interpreter.values.value import Value


def move(run: Run, base: Tensor, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """`.to`, `.cuda`, `.type` and `.type_as` of a tensor."""
    to = _destination(name, arguments, node)
    if to is None:
        return _converted(base, name, arguments, node)
    return moved(run, base, to, node, f"`.{name}()`", asynchronous=non_blocking(arguments, arguments.args))


def _destination(name: str, arguments: Arguments, node: ast.Call) -> Place | None:
    """The place that a method moves to; None where it only converts."""
    match name:
        case "cuda":
            return "device"
        case "to":
            return _named_place(arguments, node)
    first = arguments.args[0] if arguments.args else None
    if isinstance(first, Tensor if name == "type_as" else Device):
        return first.place
    return "device" if node.args and ("cuda" in text(node.args[0]) or _may_name_gpu(first)) else None


def _may_name_gpu(kind: Value | None) -> bool:
    """Whether a type of tensors is, or may be, one of a GPU: `torch.cuda.FloatTensor if is_available() else ...`."""
    options = kind.options if isinstance(kind, Choice) else (kind,)
    return any(isinstance(one, Name) and one.dotted.startswith("torch.cuda.") for one in options)


def _converted(base: Tensor, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """The tensor in another dtype; `.type()` names the one that it has, with its device."""
    if name == "to":
        code = text(node.args[0] if node.args else node)
        return base.but(mask="bool" in code or (base.mask if "dtype" in code else False))
    return base.but(mask="bool" in text(node).lower() or None) if arguments.args else Device(base.place)


def _named_place(arguments: Arguments, node: ast.Call) -> Place | None:
    place: Place | None = None
    if arguments.args and not is_dtype(arguments.args[0], node.args[0] if node.args else node):
        place = place_of(arguments.args[0])
    return place_of(arguments.named["device"]) if "device" in arguments.named else place


def moved(run: Run, base: Tensor, to: Place, node: ast.AST, what: str, *, asynchronous: bool = False) -> Tensor:
    """A tensor after a copy to a place; told if the host waits for it, or could have done without it."""
    if to == "device" and base.place in ("host", "pinned", "unknown"):
        run.copy_batch(base)
        if base.place == "host" or (base.place == "pinned" and not asynchronous):
            happening = _copy_to_device(base, asynchronous)
            if happening is not None:
                run.tell(node, happening, what, base)
        return base.but(place="device", source="", step=f"{what} in line {getattr(node, 'lineno', 0)}")
    if to == "host" and base.place == "device":
        if asynchronous:
            run.frame.copying = True
        else:
            run.tell(node, Happening.COPY_TO_HOST, what, base)
        return base.but(place="host", source="read")
    return base.but(place=to)


def wait_for_device(run: Run, node: ast.AST, what: str) -> Value:
    """The host waits for the device; told, unless a copy to the host is under way, which it has to wait for."""
    if not run.frame.copying:
        run.tell(node, Happening.SYNCHRONIZE, what)
    run.frame.copying = False
    return NONE


def _copy_to_device(base: Tensor, asynchronous: bool) -> Happening | None:
    """What a copy of host memory is; None where nothing is to be said."""
    match base.source:
        case "factory":
            return Happening.MADE_ON_HOST
        case "number" | "data" | "array" | "observed":
            return Happening.DATA_COPY
        case "read":
            return None if asynchronous else Happening.READ_BACK
        case _:
            return None if asynchronous else Happening.BATCH_COPY
