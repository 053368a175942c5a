"""Where the statements of a file stand: what an edit must know of the place around a node."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from trainlint.source import SourceFile

_BLOCKS = ("body", "orelse", "finalbody")


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


@dataclass(frozen=True, slots=True)
class Layout:
    """All statements of a file, and what else limits edits."""

    statements: dict[tuple[int, int], Statement]
    """By where the `ast` node starts and stops; a decorated node starts after its decorators."""
    formatted_strings: tuple[tuple[int, int], ...]
    """Where f-strings start and stop."""
    unit: str
    """What one more level of indentation adds."""

    def around(self, start: int, stop: int) -> Statement | None:
        """The innermost statement that holds the characters [start, stop)."""
        holding = [place for place in self.statements.values() if place.start <= start and stop <= place.stop]
        return max(holding, key=lambda place: (place.start, -place.stop), default=None)

    def inside_formatted_string(self, start: int, stop: int) -> bool:
        """Whether the characters [start, stop) are part of an f-string, and not all of it."""
        return any(
            begin <= start and stop <= end and (begin, end) != (start, stop) for begin, end in self.formatted_strings
        )


@lru_cache(maxsize=16)
def layout(source: SourceFile) -> Layout:
    """The layout of a file that `ast` can parse. Raises SyntaxError for another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The file's own doubtful escapes are no concern of a fix.
        tree = ast.parse(source.text)
    places = {extent(source, node): place for node, place in _places(source, tree)}
    strings = tuple(extent(source, node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return Layout(places, strings, _unit(places))


def extent(source: SourceFile, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The offsets where a node starts and stops, without parentheses around it and without decorators."""
    start = source.offset(node.lineno, node.col_offset)
    return start, source.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def statement_place(source: SourceFile, node: ast.stmt) -> Statement:
    """The place of a statement. Raises Unfixable for a node of another file, and for an `elif`."""
    start, stop = extent(source, node)
    place = layout(source).statements.get((start, stop))
    if place is None:
        raise Unfixable(f"no statement of {source.path} stands at line {node.lineno}")
    if isinstance(node, ast.If) and re.match(r"elif\b", source.text[start:stop]):
        raise Unfixable(f"the `elif` at line {node.lineno} is a part of its `if`")
    return place


def line_start(source: SourceFile, offset: int) -> int:
    """The offset where the line of `offset` begins."""
    return source.line_starts[source.position(offset)[0] - 1]


def _places(source: SourceFile, tree: ast.Module) -> Iterator[tuple[ast.stmt, Statement]]:
    # A stack of its own: an `elif` chain nests as deep as it is long.
    blocks: list[tuple[list[ast.stmt], str | None]] = [(tree.body, None)]
    while blocks:
        block, outer = blocks.pop()
        starts = [_start(source, node) for node in block]
        stops = [extent(source, node)[1] for node in block]
        indentation = _indentation(source, starts[0], outer) if block else ""
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


def _indentation(source: SourceFile, first: int, outer: str | None) -> str:
    """The indentation of the block whose first statement begins at `first`; a one-line block has its header's."""
    if outer is None:
        return ""
    return source.text[line_start(source, first) : first] if _begins_line(source, first) else outer


def _begins_line(source: SourceFile, start: int) -> bool:
    line, _ = source.position(start)
    before = source.line(line - 1)
    is_continued = before.endswith("\\") and "#" not in before
    return not is_continued and not source.text[source.line_starts[line - 1] : start].strip(" \t\f")


def _unit(places: dict[tuple[int, int], Statement]) -> str:
    for place in sorted(places.values(), key=lambda place: place.start):
        if place.indentation:
            return place.indentation
    return "    "
