"""`isinstance(value, kind)` and `type(value) is kind`, where the answer is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final

from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import ClassValue, Object
from trainlint.interpreter.values.kinds import Array, Items, Mapping_, Plain, Tensor
from trainlint.interpreter.values.value import Value

_CONTAINERS: Final = re.compile("list|tuple|dict|List|Tuple|Dict|Sequence|Mapping|Iterable|Collection")
_TENSOR: Final = re.compile(r"(torch\.|th\.)?Tensor")
_ARRAY: Final = re.compile(r"((np|numpy)\.)?ndarray")


def is_instance(value: Value, kind: ast.expr, value_of: Callable[[ast.expr], Value]) -> bool | None:
    """Whether a value is of a kind; None where that is not known."""
    if value.maybe_none:
        return None
    code = text(kind)
    match value:
        case Tensor(container=False):
            return "Tensor" in code
        case Object():
            of = value_of(kind)
            belongs = isinstance(of, ClassValue) and of.cls in value.cls.order
            return True if belongs else None if value.cls.library_bases or not isinstance(of, ClassValue) else False
        case Items() | Mapping_() if not _CONTAINERS.search(code):
            return False
        case Plain() | Array() if _TENSOR.fullmatch(code):
            return False
        case Plain() if _ARRAY.fullmatch(code):
            return False
    return None


def asked_kind(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The value and the kind of `type(value) is kind`; None of any other test."""
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="type"), args=[value]), ops=[ast.Is() | ast.Eq()], comparators=[kind]
        ):
            return value, kind
    return None
