"""Lines that a fix makes too long, broken around what an assignment or a pair of brackets holds.

To break a call that stands among other parts would tear these apart: `a, b = f(x), g(` and the rest below. The parts
then get a line each, as formatters do it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class Parts(NamedTuple):
    """What stands side by side on one line."""

    start: int
    """The offset in the line behind the opening bracket, or where the first part begins if there is none."""
    stop: int
    """That of the closing bracket, or behind the last part."""
    begins: tuple[int, ...]
    """Where the parts begin."""
    bare: bool
    """Whether no brackets stand around them."""
    commas: bool
    """Whether commas stand between them."""


def parts_of(statement: ast.stmt, line: str, number: int) -> Iterator[Parts]:
    """What a statement on one line holds side by side: a tuple without parentheses that is assigned, or a list."""
    if statement.lineno != number or statement.end_lineno != number:
        return
    value = getattr(statement, "value", None)
    match statement, value:
        case (ast.Assign() | ast.AnnAssign() | ast.Return(), ast.Tuple(elts=[first, *_] as items)):
            start, stop = offset(line, value.col_offset), offset(line, value.end_col_offset or 0)
            if start == offset(line, first.col_offset):
                yield Parts(start, stop, _begins(line, items), bare=True, commas=True)
        case (ast.Assign() | ast.AnnAssign() | ast.Return(), ast.ListComp(elt=element, generators=[only])):
            begins = line.rfind(" for ", 0, offset(line, only.target.col_offset)) + 1
            tests = [line.rfind(" if ", 0, offset(line, test.col_offset)) + 1 for test in only.ifs]
            start, stop = offset(line, value.col_offset) + 1, offset(line, value.end_col_offset or 0) - 1
            first_part = offset(line, element.col_offset)
            if not only.is_async and line[start:first_part].strip() == "":
                yield Parts(start, stop, (first_part, begins, *tests), bare=False, commas=False)


def each_on_its_line(parts: Parts, line: str, limit: int, between: tuple[str, str]) -> list[tuple[int, int, str]]:
    """The changes that give each part a line, as offsets in the line; nothing where a part does not fit then.

    `between` is a line end with the indent of the parts, and one with that of the statement.
    """
    deeper, outer = between
    ends = [*parts.begins[1:], parts.stop]
    pieces = [line[begin:end].rstrip(" ,") for begin, end in zip(parts.begins, ends, strict=True)]
    indent = len(deeper.lstrip("\r\n"))
    if "#" in line or any(indent + len(piece) + parts.commas > limit for piece in pieces):
        return []
    if parts.start + parts.bare > limit or len(line.rstrip()) != parts.stop + (not parts.bare):
        return []
    changes = [(parts.start, parts.begins[0], ("(" if parts.bare else "") + deeper)]
    for begin in parts.begins[1:]:
        gap = len(line[:begin]) - len(line[:begin].rstrip(" "))
        changes.append((begin - gap, begin, deeper))
    last = len(line[: parts.stop].rstrip(" "))
    comma = "," if parts.commas and not line[:last].endswith(",") else ""
    changes.append((last, parts.stop, comma + outer + (")" if parts.bare else "")))
    return changes


def _begins(line: str, items: Sequence[ast.expr]) -> tuple[int, ...]:
    """Where the elements of a tuple begin, with their parentheses, which belong to no node."""
    begins = [offset(line, items[0].col_offset)]
    for before, item in pairwise(items):
        behind = line.index(",", offset(line, before.end_col_offset or 0)) + 1
        gap = line[behind : offset(line, item.col_offset)]
        begins.append(behind + len(gap) - len(gap.lstrip(" ")))
    return tuple(begins)


def offset(line: str, column: int) -> int:
    """The offset in characters of a column, which `ast` counts in bytes."""
    return len(line.encode()[:column].decode(errors="ignore"))
