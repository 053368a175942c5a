"""Calls broken where a fix would make their line longer than those of the file."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from trainlint.finding import Edit, Fix, apply_edits
from trainlint.fixing.brackets import Parts, each_on_its_line, offset, parts_of
from trainlint.fixing.layout import COMMENT_FOR_TOOLS, layout
from trainlint.source import SourceFile

_USUAL_LENGTH = 88
"""Lines up to this length are no trouble in any file: it is what black allows."""
_WIDE_LENGTH = 120
"""The longest line that projects with wider lines than that commonly allow."""
_GAP = re.compile(r",([ \t]*)(?:\([( \t]*)?\Z")
"""Behind which comma an argument begins."""
_ENDS = re.compile(r"[)\]}]+(?:\.\w+(?:\(\))?[)\]}]*)*(?:,|:| for .*| if .*)?\s*(?:#.*)?")
"""What may stand behind the arguments of a call that is broken. To go on with an operator there is hard to read."""

_Change = tuple[int, int, str]
"""What stands between two offsets of the new text is to be this."""


def without_long_lines(source: SourceFile, fix: Fix) -> Fix:
    """The fix, in which a call is broken where its line would get longer than the longest of the file, and than usual.

    A call is broken as black does it: its arguments on a line of their own or, where they do not fit, each on one. A
    line stays long where it holds no such call, or a comment for a tool.
    """
    if not _may_be_long(source, fix):
        return fix
    text = apply_edits(source.text, fix.edits)
    limit = longest_line(source)
    lines = text.split("\n")
    numbers = [line for line in _changed_lines(text, fix.edits) if len(lines[line - 1].rstrip("\r")) > limit]
    if not numbers or "\r" in text.replace("\r\n", ""):
        return fix
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return fix  # the fixpoint tells of it
    changes: list[_Change] = []
    for number in numbers:
        start = sum(len(line) + 1 for line in lines[: number - 1])
        broken = _broken(source, tree, lines[number - 1].rstrip("\r"), number, limit)
        changes += [(start + begin, start + end, new) for begin, end, new in broken]
    edits = _with_changes(fix.edits, changes)
    return fix if edits is None else replace(fix, edits=edits)


def is_too_long(source: SourceFile, fix: Fix) -> bool:
    """Whether a fix writes a line that is longer than usual in a file that keeps to that, or than those that it has.

    What is wider than usual has room up to what most tools allow at most, and what was longer before may be as long. A
    line with a comment for a tool may be of any length: it is not broken.
    """
    if not _may_be_long(source, fix):
        return False
    text = apply_edits(source.text, fix.edits)
    lines = text.split("\n")
    limit = longest_line(source)
    before = [_length(source.line(line)) for line in _touched_lines(source, fix)]
    most = max([_WIDE_LENGTH if limit > _USUAL_LENGTH else limit, limit, *before])
    written = (lines[number - 1] for number in _changed_lines(text, fix.edits))
    return any(_length(line) > most and not COMMENT_FOR_TOOLS.search(line) for line in written)


def longest_line(source: SourceFile) -> int:
    """How many characters the lines of a file have at most, without comments, and at least what is usual.

    One line in a hundred may be longer: a text that cannot be broken, or one that nobody cared to break.
    """
    longest = _long_lines(source)[len(source.line_starts) // 100 :]
    return max([_USUAL_LENGTH, *longest[:1]])


@lru_cache(maxsize=2)
def _long_lines(source: SourceFile) -> list[int]:
    """The lengths of the lines that are longer than usual, without comments, the longest first."""
    lines = (source.line(number) for number in range(1, len(source.line_starts) + 1))
    return sorted((_length(line) for line in lines if len(line) > _USUAL_LENGTH), reverse=True)


def _length(line: str) -> int:
    """The length without a comment. A number sign in a string may shorten it, which only makes a limit stricter."""
    return len(line.partition("#")[0].rstrip())


def _may_be_long(source: SourceFile, fix: Fix) -> bool:
    added = sum(len(edit.text) for edit in fix.edits)
    return max(len(source.line(line)) for line in _touched_lines(source, fix)) + added > longest_line(source)


def _touched_lines(source: SourceFile, fix: Fix) -> set[int]:
    """The lines of the old text at which an edit begins or ends."""
    return {source.position(offset)[0] for edit in fix.edits for offset in (edit.start, edit.stop)}


def _changed_lines(text: str, edits: Sequence[Edit]) -> list[int]:
    """The lines of the new text that hold something of an edit."""
    found: set[int] = set()
    for edit, start in _places(edits):
        first = text.count("\n", 0, start) + 1
        found |= set(range(first, first + edit.text.count("\n") + 1))
    return sorted(found)


def _places(edits: Sequence[Edit]) -> Iterator[tuple[Edit, int]]:
    """Each edit, and the offset in the new text where what it writes begins."""
    shift = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        yield edit, edit.start + shift
        shift += len(edit.text) - (edit.stop - edit.start)


def _broken(source: SourceFile, tree: ast.Module, line: str, number: int, limit: int) -> list[_Change]:
    """How to break a line, with offsets from its start; nothing where that does not make it short enough."""
    comment = COMMENT_FOR_TOOLS.search(line)
    if comment is not None or _length(line) <= limit:
        return []
    indentation = line[: len(line) - len(line.lstrip())]
    for call in _calls_around(tree, number):
        if broken := _broken_among_arguments(call, line, number, limit, f"{source.newline}{indentation}"):
            return broken
    deeper = indentation + layout(source).unit
    for parts in _parts_at(tree, line, number):
        between = (f"{source.newline}{deeper}", f"{source.newline}{indentation}")
        if changes := each_on_its_line(parts, line, limit, between):
            return changes
    for opening, closing in sorted(_calls_within(tree, line, number), key=lambda call: (-call[1], call[0])):
        body = line[opening + 1 : closing]
        rest = _length(indentation + line[closing:])
        if opening + 1 > limit or rest > limit or not body.strip() or not _ENDS.fullmatch(line, closing):
            continue
        splits = _splits(body, limit - len(deeper))
        if splits is not None:
            return _line_breaks(source, body, opening, splits, (indentation, deeper))
    return []


def _splits(body: str, room: int) -> list[int] | None:
    """Behind which commas a call's arguments are broken so that no line has more characters than `room`.

    Behind none where they fit on one line; None where they do not fit, or cannot be read.
    """
    commas = _commas(body)
    if commas is None:
        return None
    if len(body.strip()) <= room and not body.rstrip().endswith(","):
        return []
    apart = [0, *(comma + 1 for comma in commas), len(body)]
    pieces = [body[begin:end].strip() for begin, end in pairwise(apart)]
    if not commas or any(len(piece) + 1 > room for piece in pieces):
        return None
    return [comma for comma in commas if body[comma + 1 :].strip()]


def _broken_among_arguments(call: ast.Call, line: str, number: int, limit: int, between: str) -> list[_Change]:
    """How to break a line between arguments of a call that begins above it; `between` then stands between them.

    Where all arguments stand on the line, and nothing else, each gets a line; else as few lines as will do are made.
    """
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    given = sorted((argument.lineno, argument.col_offset) for argument in arguments)
    starts = [offset(line, column) for row, column in given if row == number]
    gaps = [found for start in starts[1:] if (found := _GAP.search(line, 0, start))]
    only_these = len(starts) == len(given) and (call.end_lineno or 0) > number and "#" not in line
    if only_these and line[: starts[0]].strip(" \t(") == "":
        stop = len(line.rstrip())
        last = [] if line.rstrip().endswith(",") or not gaps else [(stop, stop, ",")]
        return [*((*gap.span(1), between) for gap in gaps), *last]
    return _fewest_lines(gaps, line, limit, between)


def _fewest_lines(gaps: Sequence[re.Match[str]], line: str, limit: int, between: str) -> list[_Change]:
    """How to break a line at some of the gaps, each as late as it can be; nothing where a piece stays too long."""
    changes: list[_Change] = []
    begin = 0
    while _length(line[begin:]) > limit - (len(between.strip("\r\n")) if changes else 0):
        room = limit - (len(between.strip("\r\n")) if changes else 0)
        fitting = [gap for gap in gaps if gap.start(1) > begin and gap.start(1) - begin <= room]
        if not fitting:
            return []
        changes.append((*fitting[-1].span(1), between))
        begin = fitting[-1].end(1)
    return changes


def _statements_at(tree: ast.Module, number: int) -> list[ast.stmt]:
    """The statements of a module's top level that a line belongs to; found by bisection, for files with many fixes."""
    first = bisect_left(tree.body, number, key=lambda statement: statement.end_lineno or statement.lineno)
    return tree.body[first : bisect_right(tree.body, number, key=first_line)]


def _parts_at(tree: ast.Module, line: str, number: int) -> Iterator[Parts]:
    """What the statements on a line hold side by side."""
    for outer in _statements_at(tree, number):
        for node in ast.walk(outer):
            if isinstance(node, ast.stmt):
                yield from parts_of(node, line, number)


def first_line(statement: ast.stmt) -> int:
    """The line where a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(item.lineno for item in decorators)])


def _nodes_at(tree: ast.Module, number: int, *, in_strings: bool = True) -> Iterator[ast.AST]:
    """The nodes that a line belongs to, outermost first, and some beside them that have no place of their own.

    Positions within formatted strings are doubtful before Python 3.12, and a line break may not be allowed there.
    """
    todo: list[ast.AST] = [*_statements_at(tree, number)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.JoinedStr) and not in_strings:
            continue
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        decorators = getattr(node, "decorator_list", ())
        if first is not None and last is not None and (first > number or last < number) and not decorators:
            continue
        todo += ast.iter_child_nodes(node)
        yield node


def _calls_around(tree: ast.Module, number: int) -> list[ast.Call]:
    """The calls that begin their arguments above a line and end in it or below, the innermost first."""
    calls = [
        node
        for node in _nodes_at(tree, number)
        if isinstance(node, ast.Call) and (node.func.end_lineno or 0) < number <= (node.end_lineno or 0)
    ]
    return sorted(calls, key=lambda call: (call.func.end_lineno or 0, call.func.end_col_offset or 0), reverse=True)


def _line_breaks(
    source: SourceFile, body: str, opening: int, splits: Sequence[int], indentations: tuple[str, str]
) -> list[_Change]:
    """The changes that put a call's arguments on a line of their own, and break that behind each comma in `splits`."""
    outer, deeper = (f"{source.newline}{indentation}" for indentation in indentations)
    first = opening + 1
    changes: list[_Change] = [(first, first + len(body) - len(body.lstrip()), deeper)]
    for comma in splits:
        behind = body[comma + 1 :]
        changes.append((first + comma + 1, first + comma + 1 + len(behind) - len(behind.lstrip()), deeper))
    stop = len(body.rstrip())
    last = "," if splits and not body.rstrip().endswith(",") else ""
    changes.append((first + stop, first + len(body), f"{last}{outer}"))
    return changes


def _calls_within(tree: ast.Module, line: str, number: int) -> Iterator[tuple[int, int]]:
    """The parentheses, as offsets, of the calls that begin their arguments and end in a line."""
    for node in _nodes_at(tree, number, in_strings=False):
        if not isinstance(node, ast.Call) or not (node.func.end_lineno == node.end_lineno == number):
            continue
        opening = offset(line, node.func.end_col_offset or 0)
        closing = offset(line, node.end_col_offset or 0) - 1
        if line.startswith("(", opening) and line.startswith(")", closing):
            yield opening, closing


def _commas(body: str) -> list[int] | None:
    """Where the commas between a call's arguments stand; None where its text cannot be read."""
    found, depth = [], 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({body})").readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    for token in tokens:
        if token.type != tokenize.OP:
            continue
        depth += (token.string in "([{") - (token.string in ")]}")
        if token.string == "," and depth == 1:
            found.append(token.start[1] - 1)
    return found


def _with_changes(edits: Sequence[Edit], changes: Sequence[_Change]) -> tuple[Edit, ...] | None:
    """The edits, and besides the changes of what they make; None where a change lies across the bound of an edit."""
    places = list(_places(edits))
    inside: dict[Edit, list[_Change]] = {}
    added: list[Edit] = []
    for start, stop, text in changes:
        home = next((edit for edit, at in places if at <= start and stop <= at + len(edit.text)), None)
        if home is not None:
            at = next(at for edit, at in places if edit is home)
            inside.setdefault(home, []).append((start - at, stop - at, text))
            continue
        if any(start < at + len(edit.text) and at < stop for edit, at in places):
            return None
        shift = sum(len(edit.text) - (edit.stop - edit.start) for edit, at in places if at + len(edit.text) <= start)
        added.append(Edit(start - shift, stop - shift, text))
    patched = [
        Edit(edit.start, edit.stop, apply_edits(edit.text, [Edit(*change) for change in inside.get(edit, [])]))
        for edit in edits
    ]
    return tuple(sorted([*patched, *added]))
