"""Functions and classes of libraries, by their dotted names."""

from __future__ import annotations

import ast
import re
from typing import Final

from trainlint.core.calls.builtins import builtin
from trainlint.core.calls.host_libraries import host_function
from trainlint.core.calls.loaders import make_loader
from trainlint.core.calls.torch_functions import combined, torch_function
from trainlint.core.libraries.guesses import CALLS_ITS_ARGUMENT
from trainlint.core.libraries.modules import HOST_LIBRARY, LOADER, PROGRESS, TENSOR_FUNCTIONS, WRAPPERS
from trainlint.core.machine.events import Happening
from trainlint.core.machine.run import Arguments, Frame, Run
from trainlint.core.values.kinds import (
    COUNTER,
    NONE,
    PLAIN,
    TRUE,
    UNKNOWN,
    Choice,
    FunctionValue,
    Items,
    Made,
    Mapping_,
    Object,
    Tensor,
    Value,
)

_OBJECTS_OF_TORCH: Final = re.compile(r"^torch\.(nn\.|optim|utils|cuda|distributed)")
_FUNCTIONS_OF_TORCH: Final = re.compile(
    r"^torch\.(nn\.functional|nn\.utils\.rnn|cuda\.(Float|Long|Byte|Int|Bool)Tensor$)"
)
_SYNCHRONIZE: Final = frozenset({"torch.cuda.synchronize", "torch.cuda.current_stream.synchronize"})
_PARAMETERS: Final = frozenset({"torch.nn.Parameter", "torch.nn.Buffer"})
_MAKERS: Final = frozenset({"ArgumentParser", "Accelerator", "SummaryWriter", "Fabric"})
_IMPORTING: Final = frozenset({"import_module", "instantiate", "locate", "iter_modules"})
"""What imports files by names that are strings."""
_MOST_MODULES: Final = 12


def library_function(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call what a library names so."""
    last = name.rpartition(".")[2]
    args = arguments.args
    if name.startswith("builtins."):
        return builtin(run, last, arguments, node, frame)
    if LOADER.search(name):
        return make_loader(run, arguments, node, frame)
    if WRAPPERS.search(name) and args:
        return args[0]
    if name.startswith("torch."):
        return _of_torch(run, name, last, arguments, node, frame)
    if name == "functools.partial" and args:
        return _partial(arguments)
    if PROGRESS.search(name):
        return args[0] if args and last != "trange" else Items((COUNTER,))
    if HOST_LIBRARY.match(name):
        return host_function(run, name, arguments, node)
    if last in ("all_gather", "gather") or TENSOR_FUNCTIONS.match(name):
        return combined(arguments, last)
    if name.startswith("wandb") and last == "log":
        for value in args[0].items.values() if args and isinstance(args[0], Mapping_) else ():
            run.reads(node, value, Happening.FORMAT, "`wandb.log`")
        return NONE
    if last in _MAKERS or last[:1].isupper():
        return Made(name)
    return _calling(run, last, arguments, node, frame)


def _calling(run: Run, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """A function that calls a function among its arguments."""
    run.imports_by_name = run.imports_by_name or last in _IMPORTING
    if CALLS_ITS_ARGUMENT.search(last):
        for value in arguments.values:
            if isinstance(value, FunctionValue):
                return run.call(value, Arguments((UNKNOWN,), open=True), node, frame)
    return UNKNOWN


def _of_torch(run: Run, name: str, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    args = arguments.args
    if _FUNCTIONS_OF_TORCH.match(name) or not _OBJECTS_OF_TORCH.match(name):
        return torch_function(run, name, arguments, node, frame)
    if name in _SYNCHRONIZE:
        run.tell(node, Happening.SYNCHRONIZE, f"`{name}()`")
        return NONE
    if name.startswith("torch.cuda.") and last == "is_available":
        return TRUE
    if name.startswith("torch.nn.parameter") or name in _PARAMETERS:
        return Tensor(way=("a parameter",))
    match name:
        case "torch.nn.Sequential":
            return _sequential(arguments)
        case "torch.nn.ModuleList":
            return args[0] if args and isinstance(args[0], Items) else Items(())
        case "torch.nn.ModuleDict":
            return args[0] if args and isinstance(args[0], Mapping_) else Mapping_({})
    if name.startswith("torch.utils.checkpoint") and args:
        named = {key: value for key, value in arguments.named.items() if key != "use_reentrant"}
        return run.call(args[0], Arguments(args[1:], named), node, frame)
    if name.startswith("torch.distributed"):
        if last in ("get_rank", "get_world_size"):
            return PLAIN
        return combined(arguments, last) if last == "all_gather" else UNKNOWN
    if name.startswith("torch.nn.utils.clip_grad"):
        return Tensor(way=("norm of the gradients",))
    return Made(name)


def _sequential(arguments: Arguments) -> Value:
    """Modules of the project one after the other, or a library's module."""
    first = arguments.args[0] if len(arguments.args) == 1 else None
    parts = tuple(first.items.values()) if isinstance(first, Mapping_) else tuple(arguments.args)
    if any(isinstance(part, Object | Choice) for part in parts):
        return Items(parts[:_MOST_MODULES], fixed=True)
    return Made("torch.nn.Sequential")


def _partial(arguments: Arguments) -> Value:
    value = arguments.args[0]
    if not isinstance(value, FunctionValue):
        return value
    args = (*value.args, *arguments.args[1:])
    return FunctionValue(value.function, value.bound, args, {**value.named, **arguments.named})
