"""How sure it is that Python reading a value makes the host wait for the device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.model.blocks import Block, Place
from trainlint.model.names import last_name
from trainlint.model.site import FileModel
from trainlint.model.values import Home, Kind, Origin, Value

_MEASURING = re.compile(r"(^|_|/)(bench|benchmark|profil|timing|throughput|speed|latency)", re.IGNORECASE)


def explicit_read(value: Value, device: Home) -> float:
    """Confidence for a read that only tensors and arrays offer, such as `.item()`; 0 where it surely costs nothing.

    `device` is where tensors of the file live by default: of an unknown value in a file that names no device, too
    little is known.
    """
    if value.kind is Kind.UNKNOWN:
        return 0.72 if device is Home.DEVICE else 0.5
    if not value.is_tensor or value.home is Home.HOST:
        return 0.0
    if value.origin is Origin.NAME:
        return 0.8
    return (0.7 if value.home is Home.UNKNOWN else 0.8) + 0.17 * value.confidence


def implicit_read(value: Value) -> float:
    """Confidence for a read that any Python value allows, such as `float(x)` or `if x`; 0 where it surely "
    "costs nothing.
    """
    if not value.on_device or value.confidence < 0.4:
        return 0.0
    if value.origin is Origin.NAME:
        return 0.55
    return 0.55 + 0.4 * value.confidence


def tensors_read(file: FileModel, test: ast.expr, block: Block) -> Iterator[tuple[ast.expr, float]]:
    """The parts of a test whose truth Python asks for and that are device tensors, with confidences."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from tensors_read(file, part, block)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from tensors_read(file, test.operand, block)
    elif (
        isinstance(test, ast.Call)
        and last_name(test.func) in ("any", "all")
        and isinstance(test.func, ast.Name)
        and test.args
    ):
        inner = test.args[0]
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            yield from tensors_read(file, inner.elt, file.outline.loop_blocks.get(inner.generators[-1], block))
    else:
        confidence = implicit_read(file.kinds.of(test, block))
        if confidence:
            yield test, confidence


def is_measured(place: Place, file: FileModel) -> bool:
    """Whether a place stands in code that measures time for its own sake: a benchmark, a profiler."""
    function = file.graph.enclosing(place.block)
    names = [file.source.path, function.qualified_name if function is not None else ""]
    return any(_MEASURING.search(name) for name in names)


def captures_graph(place: Place, file: FileModel) -> bool:
    """Whether the same function captures a CUDA graph, which happens once and needs the device to be idle."""
    function = file.graph.enclosing(place.block)
    return any(
        file.graph.enclosing(other.block) is function
        for name in ("CUDAGraph", "graph", "make_graphed_callables")
        for other in file.outline.calls.get(name, [])
    )


def asynchronous_copy_before(place: Place, file: FileModel) -> bool:
    """Whether the same function copies to the host without blocking before a place: then it must wait there."""
    function = file.graph.enclosing(place.block)
    line = getattr(place.node, "lineno", 0)
    for name in ("to", "copy_", "cpu"):
        for other in file.outline.calls.get(name, []):
            call = other.node
            assert isinstance(call, ast.Call)
            if call.lineno < line and file.graph.enclosing(other.block) is function:
                if any(keyword.arg == "non_blocking" for keyword in call.keywords):
                    if name == "copy_" or file.kinds.of(call, other.block).home is Home.HOST:
                        return True
    return False
