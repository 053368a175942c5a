"""Functions of libraries that work on the host: NumPy, math, logging, collections."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from trainlint.analysis.tables.waits.clocks import CLOCKS
from trainlint.interpreter.libraries.modules import ARRAY_LIBRARY, NUMBER_LIBRARY
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.kinds import ARRAY, NONE, PLAIN, TIME, UNKNOWN, Items, Mapping_, Plain, Tensor
from trainlint.interpreter.values.value import Value

_READING: Final = ("math.", "numpy.", "np.")
_ASKING: Final = frozenset({"isscalar", "ndim", "shape", "size"})
"""What NumPy answers without the numbers."""
_OF_NUMBERS: Final = frozenset("log log2 log10 exp sqrt abs floor ceil cos sin tanh prod maximum minimum power".split())
"""Functions that give a number where they are given numbers alone."""
_OF_ALL: Final = frozenset({"argmax", "argmin"})
"""Functions that give a number where they are given no axis."""
_DRAWS: Final = {"randint": 3, "choice": 2, "uniform": 3, "normal": 3, "rand": 1, "randn": 1, "random": 1}
"""Functions that draw a number where they are given no size, with how many arguments begin to say one."""
_SEVERAL: Final = frozenset({"where", "nonzero", "tril_indices", "triu_indices", "diag_indices", "unravel_index"})
"""Functions that give one array for each dimension."""
_MOST_TO_FIND: Final = 3
"""`np.where` of as many arguments chooses, and gives one array."""
_LOG_FUNCTIONS: Final = frozenset({"info", "warning"})


def host_function(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value:
    """Call a function of a host library by its dotted name."""
    args = arguments.args
    if name.startswith(_READING) and name.rpartition(".")[2] not in _ASKING:
        _read(run, name, args, node)
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
    last = name.rpartition(".")[2]
    if _writes_log(name, last):
        for value in args:
            run.reads(node, value, Happening.FORMAT, "logging")
        return NONE
    if ARRAY_LIBRARY.match(name):
        return _of_arrays(name.rpartition(".")[2], arguments)
    if last in CLOCKS:
        return TIME
    return PLAIN if NUMBER_LIBRARY.match(name) else UNKNOWN


def _writes_log(name: str, last: str) -> bool:
    return last in _LOG_FUNCTIONS or (name.startswith("logging") and last != "debug")


def _read(run: Run, name: str, args: Sequence[Value], node: ast.AST) -> None:
    for value in args:
        surely = isinstance(value, Tensor) and value.source not in ("parameter", "loader")
        run.reads(node, value, Happening.NUMBER, f"`{name}`", structures=surely)


def _of_arrays(last: str, arguments: Arguments) -> Value:
    """What a function of NumPy gives: an array, several, or a number."""
    if last in _SEVERAL and len(arguments.args) < _MOST_TO_FIND:
        return Items((ARRAY,))
    return PLAIN if _is_number(last, arguments) else ARRAY


def _is_number(last: str, arguments: Arguments) -> bool:
    """Whether a function of NumPy gives a number, and no array."""
    args = arguments.args
    if last in _OF_NUMBERS:
        return bool(args) and all(isinstance(value, Plain) for value in args)
    if last in _OF_ALL:
        return len(args) < 2 and not arguments.named
    return last in _DRAWS and len(args) < _DRAWS[last] and "size" not in arguments.named
