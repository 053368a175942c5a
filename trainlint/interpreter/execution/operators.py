"""Arithmetic and comparisons of abstract values."""

from __future__ import annotations

import ast
from typing import cast

from trainlint.interpreter import bounds
from trainlint.interpreter.values.joining import element, joined
from trainlint.interpreter.values.kinds import (
    ARRAY,
    ARRAY_ITEM,
    PLAIN,
    TIME,
    UNKNOWN,
    Array,
    Items,
    Mapping_,
    Place,
    Plain,
    Source,
    Tensor,
)
from trainlint.interpreter.values.value import Value

OF_HOST = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose result is a bool of the host."""
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_COUNTED_ON = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
"""What makes another counter of a counter: `step + 1`, `step // accumulation`."""


def arithmetic(left: Value, right: Value, operator: ast.operator) -> Value:
    """The result of a binary operator."""
    if isinstance(operator, ast.Add) and _surely_list(left, right):
        return Items(tuple(element(one) for one in (left, right)))
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _of_tensors(left, right, operator)
    if isinstance(left, Array) or isinstance(right, Array):
        return ARRAY if any(isinstance(one, Array) and not one.is_item for one in (left, right)) else ARRAY_ITEM
    if isinstance(left, Items) or isinstance(right, Items):
        return _of_items(left, right, operator)
    return _of_plain(left, right, operator)


def _surely_list(left: Value, right: Value) -> bool:
    """Whether a list is written beside what may be a structure of tensors: then that is a list, too."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Items) and one.listed and isinstance(other, Tensor) and other.container:
            return True
    return False


def _of_plain(left: Value, right: Value, operator: ast.operator) -> Value:
    """The result for what is neither a tensor nor a container: a counter stays one, and so does a time."""
    if isinstance(operator, ast.Sub) and any(isinstance(one, Plain) and one.meaning == "time" for one in (left, right)):
        return TIME
    counts = [one.meaning for one in (left, right) if isinstance(one, Plain) and one.meaning in ("counter", "inner")]
    if isinstance(left, Plain) and isinstance(right, Plain):
        return Plain(meaning=counts[0]) if counts and isinstance(operator, _COUNTED_ON) else PLAIN
    with_unknown = ast.Add | ast.FloorDiv if isinstance(left, Plain) else ast.Add  # `i + batches * epoch`
    return Plain(meaning=counts[0]) if counts and isinstance(operator, with_unknown) else UNKNOWN


def _of_tensors(left: Value, right: Value, operator: ast.operator) -> Tensor:
    """A tensor of the device wins; a number leaves the place of the tensor."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        other: Value
        main, other = (left, right) if left.place == "device" or right.place != "device" else (right, left)
        place: Place = main.place if main.place == "device" or left.place == right.place else "unknown"
        mask = left.mask or right.mask or None
        mixed = _may_count(left, right, operator)
    else:
        main, other = (left, right) if isinstance(left, Tensor) else (cast("Tensor", right), left)
        place, mask, mixed = main.place, main.mask or None, main.source == "mixed"
    source: Source = "mixed" if mixed else _source(main, other) if place == "host" else _named(main, other)
    return Tensor(place, mask if _keeps_mask(left, right, operator) else False, mixed, source, main.way)


def _may_count(left: Tensor, right: Tensor, operator: ast.operator) -> bool:
    """Whether two parts of a batch may both be numbers."""
    return not isinstance(operator, _BITS) and not left.is_one and not right.is_one


def _keeps_mask(left: Value, right: Value, operator: ast.operator) -> bool:
    """Whether masks give a mask: by bits, or as a product of two."""
    product = isinstance(operator, ast.Mult) and all(isinstance(one, Tensor) and one.mask for one in (left, right))
    return product or isinstance(operator, _BITS)


def _named(main: Tensor, other: Value) -> Source:
    return "name" if main.source == "name" and not isinstance(other, Tensor) else ""


def _source(main: Tensor, other: Value) -> Source:
    """What is computed from factories and numbers alone, the device could have made."""
    if main.source == "factory" and not isinstance(other, Array):
        return "factory" if not isinstance(other, Tensor) or other.source == "factory" else "computed"
    return "computed" if main.source else ""


def _of_items(left: Value, right: Value, operator: ast.operator) -> Value:
    if isinstance(operator, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
        parts = (*left.parts, *right.parts)
        if left.fixed and right.fixed and len(parts) < bounds.ADDED_PARTS:
            return Items(parts, fixed=True, listed=left.listed)
        return Items((joined(parts),) if parts else (), listed=left.listed)
    if isinstance(operator, ast.Mult | ast.Add):
        return Items((element(left if isinstance(left, Items) else right),))
    return UNKNOWN


def _is_empty(value: Value) -> bool:
    """Whether a value is an empty container, with which no tensor is compared."""
    return (isinstance(value, Items) and value.fixed and not value.parts) or (
        isinstance(value, Mapping_) and not value.items
    )


def comparison(left: Value, operator: ast.cmpop, right: Value) -> Value:
    """The result of one comparison: a mask where a tensor takes part, else a bool of the host."""
    if isinstance(operator, OF_HOST) or _is_empty(right):
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
    source: Source = "factory" if _source(main, other) == "factory" else _named(main, other)
    return Tensor(main.place, True, container, source, main.way)
