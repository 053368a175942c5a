"""What operators, displays and comprehensions give: values that are put together where they are written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.types.access_paths import MOST
from trainlint.analysis.types.values import (
    NUMBER,
    STRING,
    UNKNOWN,
    Home,
    Kind,
    Value,
    combine,
    constant_value,
    limited_depth,
    merge,
)

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_MOST_ITEMS = 12
"""Longer tuples are tables, not several results."""
_MOVED = 0.9
"""How sure it is that what was moved to the device is a tensor where code computes with it."""
_NO_TENSORS = frozenset({Kind.STRING, Kind.NONE, Kind.DTYPE, Kind.DEVICE, Kind.SHAPE})
"""What no tensor is compared with, whatever the other side looks like."""
_NO_TENSOR = replace(UNKNOWN)
"""What a test has found to be no tensor."""
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def is_long_display(value: ast.expr | None) -> bool:
    """Whether a dict or list is written out with so many entries that the value of one does not say what it may be."""
    return (
        isinstance(value, (ast.Dict, ast.List))
        and len(value.values if isinstance(value, ast.Dict) else value.elts) > MOST
    )


def one_of(values: list[Value]) -> Value:
    """One of the values that a container holds, which one is unknown."""
    found = merge(values)
    return found.holding(found.element)


def _arithmetic(kinds: Kinds, node: ast.BinOp, block: Block) -> Value:
    if isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.JoinedStr, ast.Constant)):
        return STRING if constant_value(getattr(node.left, "value", "")).kind is Kind.STRING else NUMBER
    return combine([_operand(kinds.of(side, block)) for side in (node.left, node.right)])


def _operand(value: Value) -> Value:
    """What takes part in arithmetic: of what was moved to the device, only tensors do."""
    if value.kind is Kind.UNKNOWN and value.home is Home.DEVICE:
        return replace(value, kind=Kind.TENSOR, confidence=_MOVED, access_paths=())
    return value


def _sign(kinds: Kinds, node: ast.UnaryOp, block: Block) -> Value:
    return NUMBER if isinstance(node.op, ast.Not) else kinds.of(node.operand, block)


def _comparison(kinds: Kinds, node: ast.Compare, block: Block) -> Value:
    if any(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops):
        return NUMBER
    sides = [_operand(kinds.of(side, block)) for side in (node.left, *node.comparators)]
    if any(side.kind in _NO_TENSORS for side in sides):
        return NUMBER
    found = combine(sides)
    return found.detached() if found.is_tensor else NUMBER if found.kind is not Kind.UNKNOWN else UNKNOWN


def _value_of_bool_op(kinds: Kinds, node: ast.BoolOp, block: Block) -> Value:
    return merge([kinds.of(value, block) for value in node.values])


def _conditional(kinds: Kinds, node: ast.IfExp, block: Block) -> Value:
    return merge([kinds.of(node.body, block), kinds.of(node.orelse, block)])


def _display(kinds: Kinds, node: ast.List | ast.Tuple | ast.Set, block: Block) -> Value:
    items = node.elts
    values = [limited_depth(kinds.of(item, block), 1) for item in items]
    in_order = len(items) <= _MOST_ITEMS and not any(isinstance(item, ast.Starred) for item in items)
    return Value(Kind.CONTAINER, element=one_of(values) if values else None, items=tuple(values) if in_order else ())


def _dict(kinds: Kinds, node: ast.Dict, block: Block) -> Value:
    values = [kinds.of(item, block) for item in node.values]
    return Value(Kind.CONTAINER, element=merge(values) if values else None)


def _comprehension(kinds: Kinds, node: _Comprehension, block: Block) -> Value:
    innermost = kinds.outline.loop_blocks.get(node.generators[-1], block)
    return Value(
        Kind.CONTAINER, element=kinds.of(node.value if isinstance(node, ast.DictComp) else node.elt, innermost)
    )


def _text(kinds: Kinds, node: ast.JoinedStr, block: Block) -> Value:
    return STRING


def _inner(kinds: Kinds, node: ast.Starred | ast.NamedExpr | ast.Await, block: Block) -> Value:
    return kinds.of(node.value, block)


WRITTEN: dict[type[ast.expr], Callable[..., Value]] = {
    ast.BinOp: _arithmetic,
    ast.UnaryOp: _sign,
    ast.Compare: _comparison,
    ast.BoolOp: _value_of_bool_op,
    ast.IfExp: _conditional,
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _display,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _text,
    ast.Starred: _inner,
    ast.NamedExpr: _inner,
    ast.Await: _inner,
}
"""Kind of expression → what works out its value, given the kinds of the file, the expression and its block."""
