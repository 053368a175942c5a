"""How sure it is that Python reading a value makes the host wait for the device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.calls_inside import calls_of
from trainlint.analysis.types.evidence import Rank
from trainlint.analysis.types.values import Home, Kind, Origin, Value
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MEASURING = lazy(r"(^|_|/)(bench|benchmark|profil|timing|throughput|speed|latency)", re.IGNORECASE)


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
