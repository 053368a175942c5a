"""What the page shows of the tables, by the names of its template."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.evidence import Run
from trainlint_probe.profile_tables.lines import line_times
from trainlint_probe.profile_tables.tables import ProfileTables
from trainlint_probe.profile_tables.words import (
    lines_covered,
    modules_covered,
    operators_covered,
    origin,
    time_of_module,
    time_of_operator,
)

_ROWS = 20
"""Of each table. The JSON document has all."""


_NOTHING: Mapping[str, object] = {
    "profiled_step_ms": 0.0,
    "profiled": "",
    "operators": (),
    "more_operators": "",
    "operators_covered": "",
    "modules": (),
    "more_modules": "",
    "modules_covered": "",
}
"""What the template is told where nothing was recorded."""


def tables_of_page(tables: ProfileTables | None, run: Run | None) -> dict[str, object]:
    """The first rows of each table, what is left out, and how much of a step they cover."""
    lines = line_times(run) if run is not None else ()
    covered = lines_covered(lines, run.looks) if run is not None and lines else ""
    of_lines: dict[str, object] = {**_NOTHING, "lines": lines, "lines_covered": covered}
    if tables is None:
        return of_lines
    profiled = {"profiled_step_ms": tables.step_ms, "profiled": origin(tables, run)}
    return of_lines | profiled | _of_operators(tables) | _of_modules(tables)


def _of_operators(tables: ProfileTables) -> dict[str, object]:
    operators = tables.operators
    if operators is None:
        return {}
    return {
        "operators": operators.rows[:_ROWS],
        "more_operators": _more([time_of_operator(row) for row in operators.rows]),
        "operators_covered": operators_covered(operators, tables.step_ms),
    }


def _of_modules(tables: ProfileTables) -> dict[str, object]:
    modules = tables.modules
    if modules is None:
        return {}
    return {
        "modules": modules.rows[:_ROWS],
        "more_modules": _more([time_of_module(row) for row in modules.rows]),
        "modules_covered": modules_covered(modules, tables.step_ms),
    }


def _more(times: list[float]) -> str:
    left = times[_ROWS:]
    return f"And {len(left)} more with {sum(left):.3f} ms." if left else ""
