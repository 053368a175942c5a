"""Code that waits for the device on purpose: what measures, and what captures a graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.calls_inside import calls_of
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MEASURING = lazy(r"(^|_|/)(bench|benchmark|profil|timing|throughput|speed|latency)", re.IGNORECASE)


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
