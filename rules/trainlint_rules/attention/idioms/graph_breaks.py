"""What ends the graph of compiled code, and what keeps it out of that code."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.conditions.values import tested_values
from trainlint.analysis.effects.python_reads import python_reads
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.contract.confidence import level
from trainlint.contract.guard import guard
from trainlint.finding import Confidence


@guard
def left_out_of_compiling(site: Site) -> bool:
    """It does not run while compiling, or in debugging only."""
    return asks_about(site.block, Subject.COMPILATION, Subject.DEBUGGING)


@guard
def decided_by_argument(site: Site) -> bool:
    """An argument decides whether it runs, and compiled code may pass the other value."""
    return tested_values.decided_by_argument(site.block, site.function)


def breaks_graph(site: Site) -> bool:
    """Whether a place surely breaks the graph."""
    name = last_name(site.node.func) if isinstance(site.node, ast.Call) else ""
    if name == "print":
        return isinstance(site.call.func, ast.Name)
    if name in TO_PYTHON:
        value = site.value(site.receiver)
        return not site.call.args and value.is_tensor and value.confidence > 0.5
    read = next(python_reads(site), None) if name in ("", "float", "int", "bool") else None
    return read is not None and level(read[1]) >= Confidence.LIKELY
