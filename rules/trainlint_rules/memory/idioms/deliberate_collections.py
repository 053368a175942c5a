"""Reasons for a garbage collection in each step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.effects.reads import captures_graph, is_measured
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_REPORTS = lazy(r"memory|(^|_)mem(_|$)|usage|report|reset", re.IGNORECASE)
_MEMORY_READS = ("memory_allocated", "max_memory_allocated", "memory_reserved", "mem_get_info", "memory_stats")


@guard
def of_one_generation(site: Site) -> bool:
    """It collects one generation only, which is short."""
    return bool(site.call.args or site.call.keywords)


@guard
def before_memory_report(site: Site) -> bool:
    """The function measures memory, or its name says so."""
    if site.function is not None and _REPORTS.search(site.function.name):
        return True
    return any(other.function is site.function for other in site.calls(*_MEMORY_READS))


@guard
def in_benchmark(site: Site) -> bool:
    """The function or the file is named as a benchmark or a profiler."""
    return is_measured(site.place, site.file)


@guard
def before_graph_capture(site: Site) -> bool:
    """The function captures a CUDA graph, which happens once."""
    return captures_graph(site.place, site.file)
