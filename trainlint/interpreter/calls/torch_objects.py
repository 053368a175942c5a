"""Functions and classes of torch by their dotted names: modules, wrappers, collectives, functions of tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.calls.distributions import of_distributions
from trainlint.interpreter.calls.places import is_false, place_of
from trainlint.interpreter.calls.torch_functions import combined, torch_function
from trainlint.interpreter.calls.transfers import wait_for_device
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Choice, Made, Object
from trainlint.interpreter.values.kinds import NONE, PLAIN, TRUE, UNKNOWN, Device, Items, Mapping_, Tensor
from trainlint.interpreter.values.value import Value

_OBJECT: Final = re.compile(r"^torch\.(nn\.|optim|utils|cuda|distributed|distributions\.|amp)")
_FUNCTION: Final = re.compile(r"^torch\.(nn\.functional|nn\.utils\.rnn|cuda\.(Float|Long|Byte|Int|Bool)Tensor$)")


def of_torch(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call what torch names so: a function of tensors, or one of those below; any other class makes an object."""
    if _FUNCTION.match(name) or not _OBJECT.match(name):
        return torch_function(run, name, arguments, node, frame)
    handler = _HANDLERS.get(name)
    if handler is None:
        handler = next((found for start, found in _BY_START.items() if name.startswith(start)), None)
    answer = None if handler is None else handler(run, name, arguments, node, frame)
    return Made(name) if answer is None else answer


def _synchronize(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return wait_for_device(run, node, f"`{name}()`")


def _of_cuda(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value | None:
    """A GPU is there."""
    if name.endswith(".current_device"):
        return Device("device")
    return TRUE if name.endswith(".is_available") else None


def _parameter(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return Tensor(way=("a parameter",))


def _sequential(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Modules of the project one after the other, or a library's module."""
    first = arguments.args[0] if len(arguments.args) == 1 else None
    parts = tuple(first.items.values()) if isinstance(first, Mapping_) else tuple(arguments.args)
    if any(isinstance(part, Object | Choice) for part in parts):
        return Items(parts[: bounds.FEW_PARTS], fixed=True)
    return Made(name)


def _module_list(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = arguments.args[0] if arguments.args else None
    return first if isinstance(first, Items) else Items(())


def _module_dict(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    first = arguments.args[0] if arguments.args else None
    return first if isinstance(first, Mapping_) else Mapping_({})


def _checkpoint(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value | None:
    """`torch.utils.checkpoint` calls its first argument."""
    if not arguments.args:
        return None
    named = {key: value for key, value in arguments.named.items() if key != "use_reentrant"}
    return run.call(arguments.args[0], Arguments(arguments.args[1:], named), node, frame)


def _distributed(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    last = name.rpartition(".")[2]
    if last in ("get_rank", "get_world_size"):
        return PLAIN
    return combined(arguments, last) if last == "all_gather" else UNKNOWN


def _norm(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    return Tensor(way=("norm of the gradients",))


def _empty_cache(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    run.tell(node, Happening.EMPTY_CACHE, f"`{name}()`")
    return NONE


def _scaler(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value | None:
    """A scaler that is off, or is the host's, has a number for a scale."""
    off = is_false(arguments.named.get("enabled")) or place_of(arguments.get(0, "device")) == "host"
    return UNKNOWN if off and name.endswith("GradScaler") else None


_Handler = Callable[[Run, str, Arguments, ast.AST, Frame], Value | None]
_HANDLERS: Final[dict[str, _Handler]] = {
    "torch.cuda.synchronize": _synchronize,
    "torch.cuda.empty_cache": _empty_cache,
    "torch.cuda.memory.empty_cache": _empty_cache,
    "torch.cuda.current_stream.synchronize": _synchronize,
    "torch.nn.Parameter": _parameter,
    "torch.nn.Buffer": _parameter,
    "torch.nn.Sequential": _sequential,
    "torch.nn.ModuleList": _module_list,
    "torch.nn.ModuleDict": _module_dict,
}
_BY_START: Final[dict[str, _Handler]] = {
    "torch.cuda.amp": _scaler,
    "torch.amp": _scaler,
    "torch.cuda.": _of_cuda,
    "torch.nn.parameter": _parameter,
    "torch.nn.utils.clip_grad": _norm,
    "torch.utils.checkpoint": _checkpoint,
    "torch.distributed": _distributed,
    "torch.distributions.": of_distributions,
}
"""By the first words of a name, where all that begins so does the same."""
