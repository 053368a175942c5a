"""What the page shows of the tables, by the names of its template."""

from __future__ import annotations

from trainlint.evidence import Run
from trainlint_probe.judgement.step_times import line_times
from trainlint_probe.profile_tables.tables import ProfileTables
from trainlint_probe.profile_tables.words import (
    lines_covered,
    modules_covered,
    of_what,
    operators_covered,
    origin,
    time_of_module,
    time_of_operator,
)

_ROWS = 20
"""Of each table. The JSON document has all."""


def tables_of_page(tables: ProfileTables | None, run: Run | None) -> dict[str, object]:
    """The first rows of each table, what is left out, and how much of a step they cover."""
    lines = line_times(run) if run is not None else ()
    return {
        **_of_profile(tables, run),
        "lines": lines,
        "lines_covered": lines_covered(lines, run.looks) if run is not None and lines else "",
    }


def _of_profile(tables: ProfileTables | None, run: Run | None) -> dict[str, object]:
    if tables is None:
        return {"operators": (), "modules": ()}
    operators, modules, step_ms = tables.operators, tables.modules, tables.step_ms
    return {
        "profiled_step_ms": step_ms,
        "profiled_of": of_what(tables),
        "profiled": origin(tables, run),
        "operators": operators.rows[:_ROWS] if operators else (),
        "more_operators": _more([time_of_operator(row) for row in operators.rows]) if operators else "",
        "operators_covered": operators_covered(operators, step_ms) if operators else "",
        "modules": modules.rows[:_ROWS] if modules else (),
        "more_modules": _more([time_of_module(row) for row in modules.rows]) if modules else "",
        "modules_covered": modules_covered(modules, step_ms) if modules else "",
    }


def _more(times: list[float]) -> str:
    left = times[_ROWS:]
    return f"And {len(left)} more with {sum(left):.3f} ms." if left else ""
