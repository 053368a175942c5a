"""Findings as they are reported: counted in the cells of their notebook, where the engine counts in the joined text."""

from __future__ import annotations

import re
from dataclasses import replace

from trainlint.finding import Edit, Finding, Fix, RelatedPlace, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.notebooks.cells import Cells

_LINES = re.compile(r"\blines? (\d+(?:(?:, | and )\d+)*)\b")
_NUMBER = re.compile(r"\d+")
_IN_CODE = re.compile(r"(`[^`]*`)")


def finding_in_cells(finding: Finding, cells: Cells) -> Finding:
    """A finding in the joined text of a notebook, as it is reported."""
    cell, span = span_in_cell(finding.span, cells)
    return replace(
        finding,
        cell=cell,
        span=span,
        message=words_in_cells(finding.message, cells),
        help=words_in_cells(finding.help, cells),
        chain=tuple(step_in_cells(step, finding.path, cells) for step in finding.chain),
        fix=finding.fix and _fix_in_cells(finding.fix, cells),
        related=tuple(related_in_cells(place, finding.path, cells) for place in finding.related),
    )


def span_in_cell(span: Span, cells: Cells) -> tuple[int, Span]:
    """The cell in which a span of the joined text begins, and the span in that cell."""
    cell, line = cells.at_line(span.start_line)
    return cell, Span(line, span.start_column, line + span.end_line - span.start_line, span.end_column)


def words_in_cells(words: str, cells: Cells) -> str:
    """A sentence of the engine that names lines of the joined text. Code in it, between backticks, stays as it is."""

    def named(found: re.Match[str]) -> str:
        return _NUMBER.sub(lambda number: cells.line_name(int(number[0])), found[1])

    pieces = _IN_CODE.split(words)
    return "".join(piece if index % 2 else _LINES.sub(named, piece) for index, piece in enumerate(pieces))


def step_in_cells(step: str, path: str, cells: Cells) -> str:
    """A step of a chain of calls: "line 88: ...", or "run.ipynb:88: ..." in another file, with the cell."""
    head, colon, rest = step.partition(": ")
    number = head.removeprefix(f"{path}:") if head.startswith(f"{path}:") else ""
    if number.isdecimal():
        return f"{path}:{cells.line_name(int(number))}{colon}{rest}"
    return f"{words_in_cells(head, cells)}{colon}{rest}"


def related_in_cells(place: RelatedPlace, path: str, cells: Cells) -> RelatedPlace:
    """A further place of a finding, where it lies in the notebook at `path`."""
    if place.path != path or place.cell is not None:
        return place
    cell, line = cells.at_line(place.line)
    return replace(place, cell=cell, line=line, message=words_in_cells(place.message, cells))


def _fix_in_cells(fix: Fix, cells: Cells) -> Fix:
    return replace(fix, edits=tuple(_edit_in_cell(edit, cells) for edit in fix.edits))


def _edit_in_cell(edit: Edit, cells: Cells) -> Edit:
    cell, start = cells.at_offset(edit.start)
    return Edit(start, start + edit.stop - edit.start, edit.text, cell)
