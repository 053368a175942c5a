"""Functions and classes of libraries, by their dotted names."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter import bounds
from trainlint.interpreter.calls.builtins import builtin
from trainlint.interpreter.calls.host_libraries import host_function
from trainlint.interpreter.calls.loaders import make_loader
from trainlint.interpreter.calls.torch_functions import combined
from trainlint.interpreter.calls.torch_objects import of_torch
from trainlint.interpreter.libraries.guesses import CALLS_ITS_ARGUMENT
from trainlint.interpreter.libraries.modules import HOST_LIBRARY, LOADER, PROGRESS, TENSOR_FUNCTIONS, WRAPPERS
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import FunctionValue, Made, Name
from trainlint.interpreter.values.kinds import COUNTER, NONE, PLAIN, UNKNOWN, Items, Mapping_
from trainlint.interpreter.values.value import Value

_MAKERS: Final = frozenset({"ArgumentParser", "Accelerator", "SummaryWriter", "Fabric"})
_IMPORTING: Final = frozenset({"import_module", "import_all_modules", "instantiate", "locate", "iter_modules"})
"""What imports files by names that are strings."""
_NUMBERED: Final = frozenset({"spawn", "start_processes"})
"""Functions that start several processes, each of which is given its number before all else."""
_STARTED: Final = frozenset({"Process", "Thread", *_NUMBERED})
"""What starts a function in another process or thread."""


def library_function(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call what a library names so."""
    last = name.rpartition(".")[2]
    if name.startswith("builtins."):
        return builtin(run, last, arguments, node, frame)
    if LOADER.search(name):
        return make_loader(run, arguments, node, frame)
    if last == "get_context":
        return Name(name.rpartition(".")[0])  # it has what the package has
    if last in _STARTED:
        return _started(run, last, arguments, node, frame)
    if WRAPPERS.search(name) and arguments.args:
        return arguments.args[0]
    if name.startswith("torch."):
        return of_torch(run, name, arguments, node, frame)
    return _passing(name, last, arguments) or _of_others(run, name, last, arguments, node, frame)


def _passing(name: str, last: str, arguments: Arguments) -> Value | None:
    """What passes its first argument on: `functools.partial`, a progress bar."""
    args = arguments.args
    if name == "functools.partial" and args:
        return _partial(arguments)
    if PROGRESS.search(name):
        return args[0] if args and last != "trange" else Items((COUNTER,))
    return None


def _of_others(run: Run, name: str, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """What a library other than torch does: on the host, on tensors, as a class, as a caller of its arguments."""
    if HOST_LIBRARY.match(name):
        return host_function(run, name, arguments, node)
    if last in ("all_gather", "gather") or TENSOR_FUNCTIONS.match(name):
        return combined(arguments, last)
    if name.startswith("wandb") and last == "log":
        return _logged(run, arguments, node)
    if name.endswith(".Trainer") and getattr(arguments.named.get("max_epochs"), "constant", None) == 1:
        return UNKNOWN  # it goes through no loader anew
    if last in _MAKERS or last[:1].isupper():
        return Made(name)
    return _calling(run, last, arguments, node, frame)


def _logged(run: Run, arguments: Arguments, node: ast.AST) -> Value:
    """`wandb.log` formats each value of a dict."""
    first = arguments.args[0] if arguments.args else None
    for value in first.items.values() if isinstance(first, Mapping_) else ():
        run.reads(node, value, Happening.FORMAT, "`wandb.log`")
    return NONE


def _calling(run: Run, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """A function that calls a function among its arguments."""
    run.imports_by_name = run.imports_by_name or last in _IMPORTING
    if CALLS_ITS_ARGUMENT.search(last):
        for value in arguments.values:
            if isinstance(value, FunctionValue):
                return run.call(value, Arguments((UNKNOWN,), open=True), node, frame)
    return UNKNOWN


def _started(run: Run, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """The function that another process or thread executes, with the tuple of arguments that it is given."""
    numbered = last in _NUMBERED
    function = arguments.get(0, "fn") if numbered else arguments.get(1, "target")
    given = arguments.get(1 if numbered else 3, "args") or Items((), fixed=True)
    if isinstance(function, FunctionValue):
        parts = given.parts if isinstance(given, Items) and given.fixed else None
        known = Arguments(((PLAIN,) if numbered else ()) + (parts or ()), open=parts is None)
        run.call(function, known, node, frame)
    return UNKNOWN


def _partial(arguments: Arguments) -> Value:
    value = arguments.args[0]
    if not isinstance(value, FunctionValue):
        return value
    args = (*value.args, *arguments.args[1:])[: bounds.PARTS]
    return FunctionValue(value.function, value.bound, args, {**value.named, **arguments.named})
