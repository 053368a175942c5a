"""How sure it is that Python reading a value makes the host wait for the device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.calls_inside import calls_of
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Home, Kind, Origin, Value
from trainlint.analysis.types.vocabulary import NUMBER_NAME
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MEASURING = lazy(r"(^|_|/)(bench|benchmark|profil|timing|throughput|speed|latency)", re.IGNORECASE)

_SWITCH = lazy(r"(use|return|output|do|enable|with)_")
_MEMBER = lazy(r"[A-Z]+[a-z]\w*\.[A-Z][A-Z0-9_]*$")
"""A member of an enumeration: `Phase.TRAIN`."""


_MAY_BE_DICTS = frozenset({Origin.BATCH, Origin.OUTPUT})
"""Where what counts as a tensor may be a dict of tensors, which `in` asks for a key."""
_KNOWN = 0.7
"""From here on a value is likely to be what it is taken for."""


def explicit_read(value: Value, device: Home) -> float:
    """Confidence for a read that only tensors and arrays offer, such as `.item()`; 0 where it surely costs nothing.

    `device` is where tensors of the file live by default: of an unknown value in a file that names no device, too
    little is known.
    """
    if value.kind is Kind.UNKNOWN:
        return 0.45 if device is Home.DEVICE else 0.3
    if not value.is_tensor or value.home is Home.HOST:
        return 0.0
    if value.origin is Origin.NAME:
        return 0.8
    if value.home is Home.UNKNOWN and value.evidence.home is Rank.UNKNOWN:
        return 0.6  # that it is a tensor says nothing of where it is
    return (0.8 if value.home is Home.DEVICE else 0.7) + 0.17 * value.confidence


def implicit_read(value: Value, node: ast.expr, block: Block) -> float:
    """Confidence that a read which any Python value allows, such as `float(x)` or `if x`, waits for the device."""
    if not value.on_device or value.confidence < 0.4 or _counts(node, block):
        return 0.0
    if value.origin is Origin.NAME:
        return 0.1  # a name alone says too little here: of 24 such reads that people looked at, none was right
    if value.confidence < _KNOWN:
        return value.confidence  # nothing but the value says that this waits
    sure = 0.55 + 0.4 * value.confidence
    return sure if value.home is Home.DEVICE else min(sure, 0.85)


def _counts(node: ast.expr, block: Block) -> bool:
    """Whether a value is an attribute that holds a Python number: a batch's own `batch_size`."""
    node = single_value(node, block) or node
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and bool(NUMBER_NAME.search(node.attr))


def _tells_no_tensor(test: ast.expr, block: Block) -> bool:
    """Whether a test itself says that it reads no tensor: a comparison with text, or a switch among the parameters."""
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        parts = [part for side in sides for part in (side.elts if isinstance(side, ast.List | ast.Tuple) else [side])]
        return any(_is_text_or_member(part, block) for part in parts)
    if not isinstance(test, ast.Name):
        return False
    bindings = reaching(test.id, block, position(test))
    starts = [item.value for item in bindings if item.how is How.PARAMETER]
    return bool(starts) and (bool(_SWITCH.match(test.id)) or any(type(constant(item)) is bool for item in starts))


def _is_text_or_member(node: ast.expr, block: Block) -> bool:
    """Whether an expression is text that is written out, the name of a type, or a member of an enumeration."""
    made = single_value(node, block) or node
    if isinstance(made, ast.Call) and last_name(made.func) == "type" and not made.keywords:
        return len(made.args) == isinstance(made.func, ast.Name)  # `x.type()` is text, `x.type(kind)` a tensor
    if isinstance(node, ast.Attribute):
        return bool(_MEMBER.match(f"{last_name(node.value)}.{node.attr}"))
    return isinstance(constant(node), str)


def tensors_read(file: SemanticModel, test: ast.expr, block: Block) -> Iterator[tuple[ast.expr, float]]:
    """The parts of a test whose truth Python asks for and that are device tensors, with confidences."""
    match test:
        case ast.BoolOp():
            for part in test.values:
                yield from tensors_read(file, part, block)
                if file.conditions.of_test(part, isinstance(test.op, ast.And), block).rare:
                    return  # what follows is asked seldom
        case ast.UnaryOp(op=ast.Not()):
            yield from tensors_read(file, test.operand, block)
        case ast.Call(func=ast.Name(id="any" | "all"), args=[ast.GeneratorExp() | ast.ListComp() as inner]):
            yield from tensors_read(file, inner.elt, file.outline.loop_blocks.get(inner.generators[-1], block))
        case ast.Call(func=ast.Name(id="any" | "all"), args=[inner]):
            yield from _read(inner, file.kinds.element(file.kinds.of(inner, block)), block)
        case _ if _tells_no_tensor(test, block):
            return
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.List() | ast.Tuple()]):
            yield from _read(left, file.kinds.of(left, block), block)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            value = file.kinds.of(holder, block)
            counted = file.kinds.of(left, block).kind is Kind.NUMBER
            if counted or value.origin not in _MAY_BE_DICTS:
                yield from _read(holder, value, block)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            value = file.kinds.of(test, block)
            if value.evidence.kind > Rank.PASSED:  # truth is asked of flags far more often than of tensors
                yield from _read(test, value, block)
        case _:
            yield from _read(test, file.kinds.of(test, block), block)


def _read(node: ast.expr, value: Value, block: Block) -> Iterator[tuple[ast.expr, float]]:
    confidence = implicit_read(value, node, block)
    if confidence:
        yield node, confidence


def is_measured(place: Place, file: SemanticModel) -> bool:
    """Whether a place stands in code that measures time for its own sake: a benchmark, a profiler."""
    function = file.graph.enclosing(place.block)
    names = [file.source.path, function.qualified_name if function is not None else ""]
    return any(_MEASURING.search(name) for name in names)


def captures_graph(place: Place, file: SemanticModel) -> bool:
    """Whether the same function captures a CUDA graph, which happens once and needs the device to be idle."""
    function = file.graph.enclosing(place.block)
    body = function.body if function is not None else file.outline.module
    return any(
        file.graph.enclosing(other.block) is function
        for name in ("CUDAGraph", "graph", "make_graphed_callables")
        for other in calls_of(file, name, body)
    )
