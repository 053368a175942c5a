"""What ends the graph of compiled code, and what keeps it out of that code."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.conditions.values import tested_values
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.host_reads import TO_PYTHON
from trainlint.contract.guard import guard

_SURE = 0.5
"""How well it must be known that a value is a tensor."""


@guard
def left_out_of_compiling(site: Site) -> bool:
    """It does not run while compiling, or in debugging only."""
    return asks_about(site.block, Subject.COMPILATION, Subject.DEBUGGING)


@guard
def decided_by_argument(site: Site) -> bool:
    """An argument decides whether it runs, and compiled code may pass the other value."""
    return tested_values.decided_by_argument(site.block, site.function)


def breaks_graph(site: Site) -> bool:
    """Whether a call surely breaks the graph: it prints, or makes a Python value of a tensor."""
    name = last_name(site.call.func)
    if name == "print":
        return isinstance(site.call.func, ast.Name)
    of_method = name in TO_PYTHON
    if bool(site.call.args) is of_method or not (of_method or isinstance(site.call.func, ast.Name)):
        return False
    value = site.value(site.receiver if of_method else site.call.args[0])
    return value.is_tensor and value.confidence > _SURE
