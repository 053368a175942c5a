"""Arithmetic and comparisons of abstract values."""

from __future__ import annotations

import ast
from typing import cast

from trainlint.core import bounds
from trainlint.core.values.joining import element, joined
from trainlint.core.values.kinds import ARRAY, PLAIN, UNKNOWN, Array, Items, Place, Plain, Source, Tensor
from trainlint.core.values.value import Value

_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def arithmetic(left: Value, right: Value, operator: ast.operator) -> Value:
    """The result of a binary operator."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _of_tensors(left, right, operator)
    if isinstance(left, Array) or isinstance(right, Array):
        return ARRAY
    if isinstance(left, Items) or isinstance(right, Items):
        return _of_items(left, right, operator)
    if isinstance(left, Plain) and isinstance(right, Plain):
        if isinstance(operator, ast.Add | ast.Sub):
            for one in (left, right):
                if one.meaning in ("counter", "inner"):
                    return Plain(meaning=one.meaning)
        return PLAIN
    return UNKNOWN


def _of_tensors(left: Value, right: Value, operator: ast.operator) -> Tensor:
    """A tensor of the device wins; a number leaves the place of the tensor."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        main = left if left.place == "device" or right.place != "device" else right
        place: Place = main.place if main.place == "device" or left.place == right.place else "unknown"
        mask, mixed = left.mask or right.mask or None, False
    else:
        main = left if isinstance(left, Tensor) else cast("Tensor", right)
        place, mask, mixed = main.place, main.mask or None, main.source == "mixed"
    source: Source = "mixed" if mixed else "computed" if place == "host" and main.source else ""
    return Tensor(place, mask if isinstance(operator, _BITS) else False, mixed, source, main.way)


def _of_items(left: Value, right: Value, operator: ast.operator) -> Value:
    if isinstance(operator, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
        parts = (*left.parts, *right.parts)
        if left.fixed and right.fixed and len(parts) < bounds.ADDED_PARTS:
            return Items(parts, fixed=True)
        return Items((joined(parts),) if parts else ())
    if isinstance(operator, ast.Mult | ast.Add):
        return Items((element(left if isinstance(left, Items) else right),))
    return UNKNOWN


def comparison(left: Value, operator: ast.cmpop, right: Value) -> Value:
    """The result of one comparison: a mask where a tensor takes part, else a bool of the host."""
    if isinstance(operator, ast.Is | ast.IsNot | ast.In | ast.NotIn):
        return PLAIN
    if isinstance(left, Tensor) and (left.place == "device" or not isinstance(right, Tensor)):
        main, other = left, right
    elif isinstance(right, Tensor):
        main, other = right, left
    else:
        return PLAIN
    if isinstance(other, Plain) and (other.constant is None or isinstance(other.constant, str)):
        return PLAIN
    container = main.container and main.source in ("parameter", "loader", "mixed")
    return Tensor(main.place, True, container, "", main.way)
