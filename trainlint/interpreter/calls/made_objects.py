"""Methods of objects of libraries' classes."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.interpreter.calls.torch_functions import combined
from trainlint.interpreter.calls.transfers import wait_for_device
from trainlint.interpreter.calls.unknown_methods import prepared, unknown_method
from trainlint.interpreter.libraries.frameworks import LIGHTNING_TRAINER
from trainlint.interpreter.libraries.modules import MODULE, SAME_MODULE, SEVERAL_OUTPUTS, TENSOR_LIBRARY
from trainlint.interpreter.machine.events import Happening, Link
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.loaders import makings_of
from trainlint.interpreter.machine.options import option
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Made
from trainlint.interpreter.values.kinds import NONE, PLAIN, UNKNOWN, Tensor
from trainlint.interpreter.values.value import Value

_WAITABLE: Final = re.compile(r"Event|Stream|cuda")
_LAUNCHER: Final = re.compile("Accelerator|Fabric")


def is_optimizer(dotted: str) -> bool:
    """Whether a class is an optimizer's, by its name."""
    return "optim" in dotted and "sched" not in dotted


def made_method(run: Run, base: Made, name: str, arguments: Arguments, node: ast.Call, frame: Frame) -> Value:
    """Call a method of a library's object."""
    for answer in (_of_parser(run, base, name, node), _of_device(run, base, name, arguments, node)):
        if answer is not None:
            return answer
    if name in SAME_MODULE and _is_module(base.dotted):
        return base
    return unknown_method(run, base, name, arguments, node, frame)


def _is_module(dotted: str) -> bool:
    return dotted.startswith("torch.nn") or MODULE.search(dotted) is not None


def _of_parser(run: Run, base: Made, name: str, node: ast.Call) -> Value | None:
    """Methods of a parser of command lines."""
    match name:
        case "add_argument":
            return option(run, node)
        case "add_argument_group" | "add_mutually_exclusive_group" | "add_parser":
            return base
        case "parse_args" | "parse_known_args":
            return UNKNOWN
    return None


def _of_device(run: Run, base: Made, name: str, arguments: Arguments, node: ast.Call) -> Value | None:
    """Methods of streams, scalers and launchers."""
    dotted, args = base.dotted, arguments.args
    match name:
        case "synchronize" if _WAITABLE.search(dotted):
            return wait_for_device(run, node, "`.synchronize()`")
        case "get_scale" | "state_dict" if "GradScaler" in dotted:
            run.tell(node, Happening.SCALE, f"`.{name}()`")
            return PLAIN
        case "scale" if "GradScaler" in dotted and args:
            return args[0]
        case "unscale_":
            return NONE
        case "fit" if LIGHTNING_TRAINER.search(dotted):
            return _fitted(run, arguments, node)
        case "prepare" | "setup" | "setup_dataloaders" if args and _LAUNCHER.search(dotted):
            return prepared(run, arguments)
    return None


def _fitted(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    """Lightning's trainer is given a model and loaders: for training, then for validation."""
    link = Link(run.frame.module.path, node.lineno, "hands the loader to a trainer")
    run.loaders.taken_over(makings_of(arguments.get(1, "train_dataloaders") or UNKNOWN), link, trains=True)
    run.loaders.taken_over(makings_of(arguments.get(2, "val_dataloaders") or UNKNOWN), link, trains=False)
    return NONE


def call_made(value: Made, arguments: Arguments) -> Value:
    """Call a library's object: a module gives tensors on the device, unless it is given one of the host."""
    dotted = value.dotted
    if _is_module(dotted):
        first = arguments.args[0] if arguments.args else None
        if isinstance(first, Tensor) and first.place == "host" and first.source != "loader":
            return first.but(mask=False)
        several = SEVERAL_OUTPUTS.search(dotted) is not None or not dotted.startswith("torch.nn")
        return Tensor(container=several, way=(f"output of {dotted}",))
    return combined(arguments, value.last) if TENSOR_LIBRARY.match(dotted) else UNKNOWN
