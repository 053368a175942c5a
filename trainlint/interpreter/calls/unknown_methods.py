"""Methods of objects that are not known: what their names say."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from trainlint.analysis.tables.loaders import hands_back_in_order
from trainlint.interpreter.calls.loaders import prepared_loader
from trainlint.interpreter.calls.places import is_dtype, non_blocking, place_of
from trainlint.interpreter.calls.transfers import wait_for_device
from trainlint.interpreter.libraries.guesses import (
    CALLS_ITS_ARGUMENT,
    LOGGER,
    LOSS_METHOD,
    MODEL_OBJECT,
    MOVED_MODEL,
    NO_LOSS_METHOD,
)
from trainlint.interpreter.libraries.modules import LOG_LEVELS, WRITERS
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.options import by_default, option
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import FunctionValue
from trainlint.interpreter.values.kinds import (
    ANY_KEY,
    ARRAY,
    NONE,
    PLAIN,
    UNKNOWN,
    Items,
    Loader,
    Mapping_,
    Stream,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.value import Value

_ARRAY_NAME: Final = re.compile(r"(^|\.)np\.|numpy|ndarray")
_EVENT_NAME: Final = re.compile("event|stream", re.IGNORECASE)
_OPTION_GROUPS: Final = frozenset({"add_argument_group", "add_mutually_exclusive_group", "add_parser"})
_GATHERS: Final = frozenset({"gather", "gather_for_metrics", "reduce"})


def unknown_method(run: Run, base: Value, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    """Call a method by its name and by what the code calls its object."""
    owner = text(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    answer = (
        _read(run, base, name, arguments, node, owner)
        or _moved(base, name, arguments, node, owner, frame)
        or _written(run, name, arguments, node, owner)
        or _of_training(run, base, name, arguments, node, owner)
        or _called(run, name, arguments, node, frame)
    )
    if answer is not None:
        return answer
    if MODEL_OBJECT.search(owner) and any(isinstance(one, Tensor) and one.place == "device" for one in arguments.args):
        return Tensor(container=True, way=(f"output of {owner}.{name}",))
    return UNKNOWN


def _read(run: Run, base: Value, name: str, arguments: Arguments, node: ast.Call, owner: str) -> Value | None:
    match name:
        case "item" if not arguments.args:
            if isinstance(base, Unknown) and not _ARRAY_NAME.search(owner):
                run.tell(node, Happening.ITEM, "`.item()`", base)
            return PLAIN.read_by(node)
        case "cpu" if not arguments.args:
            run.tell(node, Happening.COPY_TO_HOST, "`.cpu()`", base)
            return Tensor("host", container=True).read_by(node)
        case "get" | "pop" if arguments.args[1:] and getattr(arguments.args[1], "constant", None) is False:
            return by_default(run, getattr(arguments.args[0], "text", None), False)
        case "tolist":
            run.reads(node, base, Happening.TO_LIST, "`.tolist()`")
            return Items((PLAIN,))
        case "numpy":
            run.reads(node, base, Happening.TO_NUMPY, "`.numpy()`")
            return ARRAY
        case "get_scale" if "scaler" in owner:
            run.tell(node, Happening.SCALE, "`.get_scale()`")
            return PLAIN
        case "synchronize" if _EVENT_NAME.search(owner):
            return wait_for_device(run, node, "`.synchronize()`")
        case "copy_" if non_blocking(arguments, arguments.args[1:]):
            run.frame.copying = True
            return base
    return None


def _moved(base: Value, name: str, arguments: Arguments, node: ast.Call, owner: str, frame: Frame) -> Value | None:
    """`.cuda()` and `.to(device)` of something unknown: a model stays what it is, all else is a batch."""
    if name not in ("cuda", "to") or not isinstance(base, Unknown):
        return None
    args = arguments.args
    if MOVED_MODEL.search(owner) or (name == "to" and args and is_dtype(args[0], node.args[0] if node.args else node)):
        return base
    place = place_of(args[0]) if args else "device"
    way = (f"moved at {frame.module.path}:{node.lineno}",)
    return Tensor(place or "device", container=True, source="moved", way=way)


def _written(run: Run, name: str, arguments: Arguments, node: ast.Call, owner: str) -> Value | None:
    """Methods that format what they are given."""
    if name in WRITERS or (name in LOG_LEVELS and LOGGER.search(owner)):
        for value in arguments.values:
            for part in value.items.values() if isinstance(value, Mapping_) else (value,):
                run.reads(node, part, Happening.FORMAT, f"`.{name}()`")
        return NONE
    if name in ("format", "join"):
        for value in arguments.values:
            run.reads(node, value, Happening.FORMAT, "formatting")
        return PLAIN
    if name == "add_argument":
        return option(run, node)
    return None


def _of_training(run: Run, base: Value, name: str, arguments: Arguments, node: ast.Call, owner: str) -> Value | None:
    """Methods of models, optimizers, scalers and accelerators."""
    args = arguments.args
    match name:
        case "parameters":
            return Stream(Tensor(way=("a parameter",)))
        case "named_parameters":
            return Stream(Items((PLAIN, Tensor(way=("a parameter",))), fixed=True))
        case "state_dict" if MODEL_OBJECT.search(owner):
            return Mapping_({ANY_KEY: Tensor(way=("a parameter",))})
        case "backward":
            run.effects.add("trains")
            return NONE
        case "scale" if args and "scaler" in owner:
            return args[0]
        case _ if hands_back_in_order(name) and _is_prepared("accelerator" in owner, args):
            return prepared(run, arguments)
        case _ if name in _GATHERS and "accelerator" in owner and args:
            return args[0]
    if name in _OPTION_GROUPS:
        return base
    if LOSS_METHOD.search(name) and not NO_LOSS_METHOD.search(name):
        return Tensor(container=True, way=(f"output of {owner}.{name}",))
    return None


def _is_prepared(by_launcher: bool, args: Sequence[Value]) -> bool:
    """Whether a call of a launcher's method takes over what it is given: of an unknown object, only loaders say so."""
    return bool(args) if by_launcher else any(isinstance(value, Loader) for value in args)


def prepared(run: Run, arguments: Arguments) -> Value:
    """What `accelerator.prepare` gives: the same, but loaders put their batches on the device."""
    done = tuple(prepared_loader(run, value) if isinstance(value, Loader) else value for value in arguments.args)
    return done[0] if len(done) == 1 else Items(done, fixed=True)


def _called(run: Run, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value | None:
    """A function among the arguments of a method that calls it."""
    for value in arguments.values:
        if isinstance(value, FunctionValue) and (value.function.name == "<lambda>" or CALLS_ITS_ARGUMENT.search(name)):
            result = run.call(value, Arguments((UNKNOWN,), open=True), node, frame)
            return result if name in ("map", "apply", "step") else UNKNOWN
    return None
