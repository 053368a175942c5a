"""Where the statements of a file stand: what an edit must know of the place around a node."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from trainlint.analysis.syntax.names import nodes_in
from trainlint.source import SourceFile

_BLOCKS = ("body", "orelse", "finalbody")
_FORMATTED = re.compile(r"[fF][rR]?[\"']")

COMMENT_FOR_TOOLS = re.compile(
    r"#\s*(?:noqa|type|pylint|pragma|pyright|mypy|isort|fmt|yapf|ruff|nosec|trainlint)\b", re.IGNORECASE
)
"""A comment by which a tool tells a line from others. What it says is about that line alone, and about one line."""


class Unfixable(Exception):
    """A place that cannot be rewritten safely: the finding stands, without a fix. The message says why."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The place of one statement. Offsets count the characters of the text."""

    start: int
    """Where it begins; at its first decorator where it has some."""
    stop: int
    indentation: str
    """What its block is indented by."""
    begins_line: bool
    """Whether nothing but its indentation stands before it, neither on its line nor on a line continued into it."""
    before: int | None
    """Where the statement before it in the same block stops."""
    after: int | None
    """Where the statement after it in the same block begins."""

    @property
    def is_alone(self) -> bool:
        """Whether its block holds nothing else, so that it cannot just be taken away."""
        return self.before is None and self.after is None


class Layout:
    """The statements of a file, and what else limits edits.

    A fix asks about one place: of the file's own statements, the outermost, only those are looked into that hold it.
    """

    def __init__(self, source: SourceFile) -> None:
        """Raises SyntaxError for a file that `ast` cannot parse."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The file's own doubtful escapes are no concern of a fix.
            self._body = ast.parse(source.text).body
        self._source = source
        self._starts = [_start(source, node) for node in self._body]
        self._parts: dict[int, _Part] = {}

    def at(self, start: int, stop: int) -> Statement | None:
        """The statement whose `ast` node starts and stops there; a decorated node starts after its decorators."""
        part = self._part_with(start)
        return part.statements.get((start, stop)) if part else None

    def around(self, start: int, stop: int) -> Statement | None:
        """The innermost statement that holds the characters [start, stop)."""
        part = self._part_with(start)
        return part.around(start, stop) if part else None

    def inside_formatted_string(self, start: int, stop: int) -> bool:
        """Whether the characters [start, stop) are part of an f-string, and not all of it."""
        part = self._part_with(start)
        return part is not None and part.inside_formatted_string(start, stop)

    @cached_property
    def unit(self) -> str:
        """What one more level of indentation adds."""
        for index in range(len(self._body)):
            for place in self._part(index).nested:
                if place.indentation:
                    return place.indentation
        return "    "

    def _part_with(self, offset: int) -> _Part | None:
        index = bisect_right(self._starts, offset) - 1
        return self._part(index) if index >= 0 else None

    def _part(self, index: int) -> _Part:
        if index not in self._parts:
            node = self._body[index]
            before = extent(self._source, self._body[index - 1])[1] if index else None
            after = self._starts[index + 1] if index + 1 < len(self._body) else None
            self._parts[index] = _Part(self._source, node, before, after)
        return self._parts[index]


class _Part:
    """One of the outermost statements of a file, and all that stands in it."""

    def __init__(self, source: SourceFile, node: ast.stmt, before: int | None, after: int | None) -> None:
        self.statements = {extent(source, inner): place for inner, place in _places(source, node, before, after)}
        self.nested = sorted(self.statements.values(), key=lambda place: (place.start, -place.stop))
        self._starts = [place.start for place in self.nested]
        self._source = source
        self._node = node

    def around(self, start: int, stop: int) -> Statement | None:
        # Statements begin in the order of the text, each after the one around it: the nearest that holds it is meant.
        index = bisect_right(self._starts, start) - 1
        while index >= 0:
            place = self.nested[index]
            if stop <= place.stop:
                return place
            index = self._outer[index]
        return None

    @cached_property
    def _outer(self) -> list[int]:
        """For each nested statement, the number of the one around it; -1 for the outermost."""
        outer: list[int] = []
        open_ones: list[int] = []
        for index, place in enumerate(self.nested):
            while open_ones and self.nested[open_ones[-1]].stop < place.stop:
                open_ones.pop()
            outer.append(open_ones[-1] if open_ones else -1)
            open_ones.append(index)
        return outer

    def inside_formatted_string(self, start: int, stop: int) -> bool:
        strings = self._formatted_strings
        earlier = bisect_left(strings, (start, 0))
        if earlier and self._stops_so_far[earlier - 1] >= stop:
            return True
        longer = bisect_right(strings, (start, stop))
        return longer < len(strings) and strings[longer][0] == start

    @cached_property
    def _formatted_strings(self) -> list[tuple[int, int]]:
        """Where f-strings start and stop, in their order."""
        start, stop = self.nested[0].start, self.nested[0].stop
        if not _FORMATTED.search(self._source.text, start, stop):
            return []
        found = (node for node in nodes_in(self._node) if isinstance(node, ast.JoinedStr))
        return sorted(extent(self._source, node) for node in found)

    @cached_property
    def _stops_so_far(self) -> list[int]:
        """For each f-string, where the one stops that reaches furthest of it and those before."""
        return list(accumulate((stop for _, stop in self._formatted_strings), max))


@lru_cache(maxsize=2)
def layout(source: SourceFile) -> Layout:
    """The layout of a file that `ast` can parse. Raises SyntaxError for another."""
    return Layout(source)


def extent(source: SourceFile, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The offsets where a node starts and stops, without parentheses around it and without decorators."""
    start = source.offset(node.lineno, node.col_offset)
    return start, source.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def statement_place(source: SourceFile, node: ast.stmt) -> Statement:
    """The place of a statement. Raises Unfixable for a node of another file, and for an `elif`."""
    start, stop = extent(source, node)
    place = layout(source).at(start, stop)
    if place is None:
        raise Unfixable(f"no statement of {source.path} stands at line {node.lineno}")
    if isinstance(node, ast.If) and re.match(r"elif\b", source.text[start:stop]):
        raise Unfixable(f"the `elif` at line {node.lineno} is a part of its `if`")
    return place


def line_start(source: SourceFile, offset: int) -> int:
    """The offset where the line of `offset` begins."""
    return source.line_starts[source.position(offset)[0] - 1]


def _places(
    source: SourceFile, outermost: ast.stmt, before: int | None, after: int | None
) -> Iterator[tuple[ast.stmt, Statement]]:
    first = _start(source, outermost)
    stop = extent(source, outermost)[1]
    yield outermost, Statement(first, stop, "", _begins_line(source, first), before, after)
    # A stack of its own: an `elif` chain nests as deep as it is long.
    blocks = [(inner, "") for inner in _inner_blocks(outermost)]
    while blocks:
        block, outer = blocks.pop()
        starts = [_start(source, node) for node in block]
        stops = [extent(source, node)[1] for node in block]
        indentation = _indentation(source, starts[0], outer)
        for index, node in enumerate(block):
            before = stops[index - 1] if index else None
            after = starts[index + 1] if index + 1 < len(block) else None
            begins = _begins_line(source, starts[index])
            yield node, Statement(starts[index], stops[index], indentation, begins, before, after)
            blocks += ((inner, indentation) for inner in _inner_blocks(node))


def _inner_blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for holder in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        for name in _BLOCKS:
            yield from filter(None, [getattr(holder, name, None)])


def _start(source: SourceFile, node: ast.stmt) -> int:
    start = extent(source, node)[0]
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return source.text.rindex("@", 0, extent(source, decorators[0])[0]) if decorators else start


def _indentation(source: SourceFile, first: int, outer: str) -> str:
    """The indentation of the block whose first statement begins at `first`; a one-line block has its header's."""
    return source.text[line_start(source, first) : first] if _begins_line(source, first) else outer


def _begins_line(source: SourceFile, start: int) -> bool:
    line, _ = source.position(start)
    before = source.line(line - 1)
    is_continued = before.endswith("\\") and "#" not in before
    return not is_continued and not source.text[source.line_starts[line - 1] : start].strip(" \t\f")
