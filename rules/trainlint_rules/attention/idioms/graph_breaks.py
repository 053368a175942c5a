"""What ends the graph of compiled code, and what keeps it out of that code."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.conditions.around import guards_around, mentioned_in_tests
from trainlint.analysis.effects.python_reads import python_reads
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.contract.confidence import level
from trainlint.contract.guard import guard
from trainlint.finding import Confidence
from trainlint.patterns import lazy

_NOT_COMPILING = lazy(r"is_compiling|is_dynamo_compiling|is_fx_tracing|is_exporting|debug|verbose", re.IGNORECASE)


@guard
def left_out_of_compiling(site: Site) -> bool:
    """It does not run while compiling, or in debugging only."""
    return mentioned_in_tests(site.block, _NOT_COMPILING)


@guard
def decided_by_argument(site: Site) -> bool:
    """An argument of the function decides whether it runs, and its other value may be what is compiled."""
    given = {parameter.arg for parameter in site.function.parameters} if site.function is not None else set()
    tests = (guard.expression for guard in guards_around(site.block))
    asked = (test.operand if isinstance(test, ast.UnaryOp) else test for test in tests)
    return any(isinstance(test, ast.Name) and test.id in given for test in asked)


def breaks_graph(site: Site) -> bool:
    """Whether a place surely breaks the graph."""
    name = last_name(site.node.func) if isinstance(site.node, ast.Call) else ""
    if name == "print":
        return isinstance(site.call.func, ast.Name)
    if name in ("item", "tolist"):
        value = site.value(site.receiver)
        return not site.call.args and value.is_tensor and value.confidence > 0.5
    read = next(python_reads(site), None) if name in ("", "float", "int", "bool") else None
    return read is not None and level(read[1]) >= Confidence.LIKELY
