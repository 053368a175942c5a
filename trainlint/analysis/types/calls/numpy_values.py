"""What calls of NumPy give: one number, an array of one axis, or any other array."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import argument
from trainlint.analysis.tables import numpy_results
from trainlint.analysis.types.values import NUMBER, Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_PACKAGE = "numpy."
_ARRAY_OF_NUMBERS = Value(Kind.ARRAY, element=NUMBER)


def numpy_result(kinds: Kinds, call: ast.Call, block: Block, origin: str) -> Value | None:
    """A number or an array of one axis, where a function of NumPy returns one; None for anything else."""
    if not origin.startswith(_PACKAGE):
        return None
    name = origin.removeprefix(_PACKAGE)
    if name in numpy_results.OF_ONE_AXIS:
        return (
            None if call.keywords and name == numpy_results.UNIQUE else _ARRAY_OF_NUMBERS
        )  # else it returns several arrays
    if name == numpy_results.SHUFFLED:
        counted = bool(call.args) and kinds.of(call.args[0], block).kind is Kind.NUMBER
        return _ARRAY_OF_NUMBERS if counted else None
    if name in numpy_results.REDUCTIONS:
        return NUMBER if argument(call, "axis", 1) is None else None
    if name in numpy_results.DRAWS:
        place, keyword = numpy_results.DRAWS[name]
        sized = len(call.args) > place or (keyword is not None and argument(call, keyword) is not None)
        return None if sized else NUMBER
    return None


def array_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    """What a method of an array returns."""
    if name in numpy_results.REDUCTIONS and argument(call, "axis", 0) is None:
        return NUMBER
    return base if base.element is None or name in ("astype", "copy") else replace(base, element=None)
