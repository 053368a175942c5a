"""Look names up."""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache

from trainlint.interpreter.bounds import NAMES
from trainlint.interpreter.libraries.guesses import by_name
from trainlint.interpreter.machine.frame import Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.callables import Name
from trainlint.interpreter.values.kinds import UNKNOWN, Unknown
from trainlint.interpreter.values.value import Value


def name(run: Run, node: ast.Name, frame: Frame) -> Value:
    """A name in its function, those around, its module, a library, Python itself; else what the name says."""
    return look_up(node.id, frame)


def look_up(wanted: str, frame: Frame) -> Value:
    """What a name stands for in a frame."""
    value = frame.names.get(wanted)
    if value is not None:
        return (by_name(wanted) or value) if isinstance(value, Unknown) else value
    for scope in frame.scopes:
        if wanted in scope:
            return scope[wanted]
    module = frame.module
    if wanted in module.names:
        return module.names[wanted]
    for library in module.star_imports:
        if library.startswith("torch"):
            return Name(f"{library}.{wanted}")
    return _undefined(wanted)


@lru_cache(maxsize=NAMES)
def _undefined(wanted: str) -> Value:
    """What a name stands for that no file defines."""
    if hasattr(builtins, wanted):
        return Name("builtins." + wanted)
    return by_name(wanted) or UNKNOWN
