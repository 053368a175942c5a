"""The tables for people at a terminal: short, or with more rows where the user asks for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from trainlint.evidence import Run
from trainlint.report.characters import sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import wrapped
from trainlint_probe.judgement.step_times import LineTime, line_times
from trainlint_probe.profile_tables.modules import Modules, ModuleTime
from trainlint_probe.profile_tables.operators import Operators
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
from trainlint_probe.report.words import place_text

_ROWS, _ROWS_OF_ALL = 5, 25
_LEAST_PATH = 12
"""Columns that the end of a path has in any terminal."""
_LEAST_MS = 0.0005
"""Less would be printed as 0.000 ms."""


def profile_lines(
    tables: ProfileTables | None, style: Style, *, run: Run | None = None, verbose: bool = False
) -> Iterator[Text]:
    """Operators, modules and, with `verbose`, lines; nothing where nothing is known. `run` is the run that the tables
    are of; None where they are of a trace.
    """
    most = _ROWS_OF_ALL if verbose else _ROWS
    if tables is not None and tables.operators is not None:
        yield from _operators(tables.operators, tables, most, style)
    if tables is not None and tables.modules is not None:
        yield from _modules(tables.modules, tables, most, style)
    if tables is not None:
        yield from _dim_sentence(origin(tables, run), style)
    if verbose and run is not None:
        yield from _lines(line_times(run), run.looks, most, style)


def _operators(operators: Operators, tables: ProfileTables, most: int, style: Style) -> Iterator[Text]:
    has_device = operators.device_ms is not None
    columns = f"{'device ms':>11} {'host ms':>9}" if has_device else f"{'host ms':>11} {'share':>8}"
    yield Text()
    yield Text(f"Operators, by their own time in {of_what(tables)}:", "bold")
    yield Text(f"{columns} {'calls':>7}", "dim")
    rows = [row for row in operators.rows if time_of_operator(row) >= _LEAST_MS]
    for row in rows[:most]:
        own = f"{row.own_ms:11.3f} {row.own_ms / tables.step_ms:8.1%}"
        times = own if row.device_ms is None else f"{row.device_ms:11.3f} {row.own_ms:9.3f}"
        yield from _row(f"{times} {row.calls:7.4g}  ", row.name, style)
    yield from _rest(sum(map(time_of_operator, rows[most:])), len(rows[most:]), "operators", style)
    yield from _dim_sentence(operators_covered(operators, tables.step_ms), style)


def _modules(modules: Modules, tables: ProfileTables, most: int, style: Style) -> Iterator[Text]:
    has_device = any(row.device_ms is not None for row in modules.rows)
    device = f"{'device ms':>11} " if has_device else ""
    yield Text()
    yield Text(f"Modules, by their own time in {of_what(tables)}, without the modules inside of them:", "bold")
    yield Text(f"{device}{'forward ms':>11} {'backward ms':>11} {'calls':>7}", "dim")
    rows = [row for row in modules.rows if time_of_module(row) >= _LEAST_MS]
    for row in rows[:most]:
        numbers = f"{_times(row)} {row.calls:7.4g}  "
        yield from _row(numbers, _end(row.path, style.width - len(numbers)), style)
    yield from _rest(sum(map(time_of_module, rows[most:])), len(rows[most:]), "modules", style)
    yield from _dim_sentence(modules_covered(modules, tables.step_ms), style)


def _times(row: ModuleTime) -> str:
    device = "" if row.device_ms is None else f"{row.device_ms:11.3f} "
    backward = "not known" if row.backward_ms is None else f"{row.backward_ms:.3f}"
    return f"{device}{row.forward_ms:11.3f} {backward:>11}"


def _lines(lines: Sequence[LineTime], looks: int, most: int, style: Style) -> Iterator[Text]:
    if not lines:
        return
    yield Text()
    yield Text("Lines, by their time in a step:", "bold")
    yield Text(f"{'ms':>11} {'of step':>8}", "dim")
    for item in lines[:most]:
        via = f", by {item.via}" if item.via else ""
        where = f"{place_text(item.at)} in {item.function} ({item.phase.value}){via}"
        yield from _row(f"{item.ms:11.3f} {item.share:8.1%}  ", where, style)
    yield from _dim_sentence(lines_covered(lines, looks), style)


def _row(numbers: str, name: str, style: Style) -> Iterator[Text]:
    yield from wrapped(Text(numbers + sentence(name, unicode=style.unicode)), style, indent=" " * len(numbers))


def _end(path: str, columns: int) -> str:
    """A module's path, from which the beginning is left out where the terminal has no room for it."""
    return path if len(path) <= max(columns, _LEAST_PATH) else f"...{path[3 - max(columns, _LEAST_PATH) :]}"


def _rest(ms: float, number: int, what: str, style: Style) -> Iterator[Text]:
    if number:
        yield from _dim_sentence(f"and {number} {what} more with {ms:.3f} ms", style)


def _dim_sentence(text: str, style: Style) -> Iterator[Text]:
    yield from wrapped(Text(f"  {sentence(text, unicode=style.unicode)}", "dim"), style, indent="  ")
