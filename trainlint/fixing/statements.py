"""Edits of whole statements and lines. They are textual: taking lines away or putting lines in is exact as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import pairwise

from trainlint.finding import Edit
from trainlint.fixing.layout import COMMENT_FOR_TOOLS, Statement, Unfixable, extent, layout, line_start, statement_place
from trainlint.fixing.segment import lost_comments
from trainlint.source import SourceFile

_SEMICOLON = re.compile(r"(?:[ \t\f]|\\(?:\r\n|\r|\n))*;")
_REST_OF_LINE = re.compile(r"[ \t\f]*(?:;[ \t\f]*)?(?P<comment>#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST_INDENTED = 20
"""How many lines a fix puts into a block of their own at most."""


def remove_statement(source: SourceFile, node: ast.stmt) -> tuple[Edit, ...]:
    """Take a statement away, with its decorators. A comment behind it stays, on that line; one for a tool goes, too.

    The statement becomes `pass` where its block holds nothing else; what shares its line stays. Raises Unfixable where
    a comment stands inside the statement, since it may say more than what is taken away.
    """
    place = statement_place(source, node)
    if lost_comments(source.text[place.start : place.stop], ""):
        raise Unfixable(f"a comment stands inside the statement at line {node.lineno} of {source.path}")
    rest = _REST_OF_LINE.match(source.text, place.stop) if place.begins_line else None
    comment = rest.start("comment") if rest and rest["comment"] else None
    if rest and comment is not None and not COMMENT_FOR_TOOLS.match(rest["comment"]):
        return (Edit(place.start, place.stop, "pass") if place.is_alone else Edit(place.start, comment, ""),)
    if place.is_alone:
        return (Edit(place.start, _end_of_text(source, rest.end()) if rest else place.stop, "pass"),)
    if rest:
        return (_line_removal(source, line_start(source, place.start), _with_empty_line(source, place, rest.end())),)
    return (_removal_beside(source, node, place),)


def _with_empty_line(source: SourceFile, place: Statement, end: int) -> int:
    """The end of the line behind an indented statement with empty lines around it, of which one is enough."""
    start = line_start(source, place.start)
    before, after = source.position(start)[0] - 1, source.position(end)[0]
    empty = before > 0 and not source.line(before).strip() and end < len(source.text)
    if start == place.start or not empty or source.line(after).strip() or after >= len(source.line_starts):
        return end
    return source.line_starts[after]


def _removal_beside(source: SourceFile, node: ast.stmt, place: Statement) -> Edit:
    """Take a statement away that shares its line with another, and the semicolon between them."""
    if place.after is not None and _SEMICOLON.match(source.text, place.stop):
        return Edit(place.start, place.after, "")
    if place.before is not None and _SEMICOLON.match(source.text, place.before):
        return Edit(place.before, place.stop, "")
    raise Unfixable(f"the statement at line {node.lineno} of {source.path} shares its line with something else")


def insert_before(source: SourceFile, statement: ast.stmt, text: str) -> Edit:
    """Put the lines of `text` above a statement and its decorators, indented as it is.

    On a line with other statements, a simple statement is put in with a semicolon.
    """
    place = statement_place(source, statement)
    if place.begins_line:
        start = line_start(source, place.start)
        return Edit(start, start, indent_lines(source, text, source.text[start : place.start]))
    if "\n" in text or hasattr(ast.parse(text).body[0], "body"):
        raise Unfixable(f"line {statement.lineno} of {source.path} begins with something else")
    return Edit(place.start, place.start, f"{text}; ")


def insert_decorator(
    source: SourceFile, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, text: str
) -> Edit:
    """Decorate with `text`, such as "torch.no_grad()", below the decorators that are there: closest to the function."""
    statement_place(source, function)
    definition = extent(source, function)[0]
    start = line_start(source, definition)
    return Edit(start, start, indent_lines(source, f"@{text.removeprefix('@')}", source.text[start:definition]))


def wrap_in_with(source: SourceFile, statements: Sequence[ast.stmt], header: str) -> tuple[Edit, ...] | None:
    """Put neighbouring statements into a block under `header`, such as "with torch.no_grad():".

    None where that is not simple: a string runs over several lines and would change, or a line is shared. Nor where
    it indents much code: a reader of the change could not see that nothing else is new.
    """
    try:
        places = [statement_place(source, node) for node in statements]
    except Unfixable:
        return None
    follow = all(one.after == other.start for one, other in pairwise(places))
    rest = _REST_OF_LINE.match(source.text, places[-1].stop)
    if not follow or rest is None or any(not place.begins_line for place in places) or _holds_long_string(statements):
        return None
    unit = layout(source).unit
    edits = []
    first, last = source.position(places[0].start)[0], source.position(places[-1].stop)[0]
    if last - first >= _MOST_INDENTED:
        return None
    for line in range(first, last + 1):
        if source.line(line).strip():
            start = source.line_starts[line - 1]
            edits.append(Edit(start, start, unit))
    top = line_start(source, places[0].start)
    indentation = source.text[top : places[0].start]
    edits[0] = Edit(top, top, indent_lines(source, header, indentation) + unit)
    return tuple(edits)


def indent_lines(source: SourceFile, text: str, indentation: str) -> str:
    """Whole lines with the file's own line end, each indented but the empty ones."""
    lines = _LINE_END.split(text)
    return "".join(f"{indentation if line else ''}{line}{source.newline}" for line in lines)


def _end_of_text(source: SourceFile, end: int) -> int:
    """The end of a line without its line end."""
    return len(source.text[:end].rstrip("\r\n"))


def _line_removal(source: SourceFile, start: int, end: int) -> Edit:
    if source.text.endswith(("\r", "\n"), start, end):
        return Edit(start, end, "")
    # The last line has no line end: the line before takes its place, without one too.
    return Edit(_end_of_line_before(source, start), end, "")


def _end_of_line_before(source: SourceFile, start: int) -> int:
    if source.text.endswith("\r\n", 0, start):
        return start - 2
    return max(0, start - 1)


def _holds_long_string(statements: Sequence[ast.stmt]) -> bool:
    nodes = (node for statement in statements for node in ast.walk(statement))
    strings = (node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr))
    return any(node.lineno != node.end_lineno for node in strings)
