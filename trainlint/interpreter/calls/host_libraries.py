"""Functions of libraries that work on the host: NumPy, math, logging, collections."""

from __future__ import annotations

import ast
from typing import Final

from trainlint.interpreter.libraries.modules import ARRAY_LIBRARY, NUMBER_LIBRARY
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.run import Arguments, Run
from trainlint.interpreter.values.kinds import ARRAY, NONE, PLAIN, UNKNOWN, Items, Mapping_, Tensor
from trainlint.interpreter.values.value import Value

_READING: Final = ("math.", "numpy.", "np.")
_ASKING: Final = frozenset({"isscalar", "ndim", "shape", "size"})
"""What NumPy answers without the numbers."""
_LOG_FUNCTIONS: Final = frozenset({"info", "warning", "debug"})


def host_function(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value:
    """Call a function of a host library by its dotted name."""
    args = arguments.args
    if name.startswith(_READING) and name.rpartition(".")[2] not in _ASKING:
        for value in args:
            surely = isinstance(value, Tensor) and value.source not in ("parameter", "loader")
            run.reads(node, value, Happening.NUMBER, f"`{name}`", structures=surely)
    known = _known(run, name, arguments, node)
    if known is not None:
        return known
    if name.startswith("logging") or name.rpartition(".")[2] in _LOG_FUNCTIONS:
        for value in args:
            run.reads(node, value, Happening.FORMAT, "logging")
        return NONE
    if ARRAY_LIBRARY.match(name):
        return ARRAY
    return PLAIN if NUMBER_LIBRARY.match(name) else UNKNOWN


def _known(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """What single functions give that pass their argument on, make a container, or collect garbage."""
    args = arguments.args
    match name:
        case "gc.collect":
            run.tell(node, Happening.COLLECT, "`gc.collect()`")
            return PLAIN
        case "copy.copy" | "copy.deepcopy" | "itertools.cycle" | "itertools.islice" | "itertools.chain":
            return args[0] if args else UNKNOWN
        case "collections.defaultdict" | "collections.Counter":
            return Mapping_({})
        case "collections.OrderedDict":
            return Mapping_(dict(arguments.named))
        case "collections.deque":
            return Items(())
    return None
