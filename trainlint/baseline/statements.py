"""Which statement stands at a place of a file, told by what it means: the same however it is written and wherever.

Two statements are the same where their syntax trees are: blanks, line breaks, quotes, trailing commas, redundant
parentheses and comments do not count.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from trainlint.source import SourceFile

_Place = tuple[int, int]
"""A 1-based line, and a 0-based column in UTF-8 bytes, as `ast` counts."""
_NO_MEANING = frozenset({"ctx", "kind", "type_comment"})


class StatementPlace(NamedTuple):
    """A place inside a statement, as it is known again when the file has changed elsewhere."""

    function: str
    """The qualified name of the function or class around it, as in `Trainer.step`; empty at the top of a file."""
    statement: str
    """A digest of the statement, without the statements inside it."""
    ordinal: int
    """How many equal statements stand before it in its function."""
    part: int
    """Which part of the statement begins there, in the order of its syntax tree."""


class _Found(NamedTuple):
    node: ast.stmt
    start: _Place
    end: _Place
    parent: int
    """The index of the statement around it; -1 for none."""
    function: str


class Statements:
    """The statements of one file. It is parsed once."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._found = list(_statements(source))
        self._starts = [found.start for found in self._found]
        self._digests: dict[int, str] = {}

    def at(self, line: int, column: int) -> StatementPlace:
        """What stands at a 1-based line and a 1-based column in characters.

        Where no statement does, as in a comment or a file that is no Python, the words of the line stand for one.
        """
        place = line, len(self._source.line(line)[: column - 1].encode("utf-8", "surrogatepass"))
        index = self._around(place)
        if index < 0:
            return self._line_at(line, column, "")
        found = self._found[index]
        part = _part_at(found, place)
        if part is None:
            return self._line_at(line, column, found.function)
        before = (other for other in range(index) if self._found[other].function == found.function)
        digest = self._digest(index)
        return StatementPlace(found.function, digest, sum(self._digest(other) == digest for other in before), part)

    def _around(self, place: _Place) -> int:
        """The index of the innermost statement with a place; -1 where there is none."""
        index = bisect_right(self._starts, place) - 1
        while index >= 0 and self._found[index].end <= place:
            index = self._found[index].parent
        return index

    def _digest(self, index: int) -> str:
        if index not in self._digests:
            self._digests[index] = digest(*map(_written, _parts(self._found[index].node)))[:16]
        return self._digests[index]

    def _line_at(self, line: int, column: int, function: str) -> StatementPlace:
        text = self._source.line(line)
        words = text.split()
        before = sum(self._source.line(other).split() == words for other in range(1, line))
        return StatementPlace(function, digest("", *words)[:16], before, len("".join(text[: column - 1].split())))


def digest(*texts: str) -> str:
    """A hash of some texts, in hexadecimal digits."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _statements(source: SourceFile) -> Iterator[_Found]:
    """The statements in the order in which they begin; none of files that are no Python, or cannot be parsed."""
    if is_settings(source.path):
        return
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in the user's strings are the user's compiler's matter
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # a failure of the run says so
    count = 0
    waiting: list[tuple[ast.AST, int, str]] = [(tree, -1, "")]
    while waiting:
        node, parent, function = waiting.pop()
        if isinstance(node, ast.stmt):
            start = node.lineno, node.col_offset
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                function = f"{function}.{node.name}" if function else node.name
                start = min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.col_offset
            yield _Found(node, start, (node.end_lineno or 0, node.end_col_offset or 0), parent, function)
            parent, count = count, count + 1
        inner = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
        waiting += ((child, parent, function) for child in reversed(inner))


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, each before what is in it, without the statements inside."""
    import ast

    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (child for child in reversed([*ast.iter_child_nodes(node)]) if not isinstance(child, ast.stmt))


def _written(node: ast.AST) -> str:
    """What a node says itself, and how many nodes it has where. In any Python the same: what is empty is left out."""
    import ast

    words = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        if name in _NO_MEANING or value is None or value == [] or (isinstance(value, list) and _holds_body(value)):
            continue
        if isinstance(value, ast.AST):
            words.append(name)
        elif isinstance(value, list):
            kinds = ("." if item is None else "*" if isinstance(item, ast.AST) else repr(item) for item in value)
            words.append(f"{name}:{' '.join(kinds)}")
        else:
            words.append(f"{name}={hex(value) if type(value) is int else repr(value)}")  # repr refuses huge numbers
    return " ".join(words)


def _holds_body(nodes: list[object]) -> bool:
    import ast

    return isinstance(nodes[0], ast.stmt)


def _part_at(found: _Found, place: _Place) -> int | None:
    """The part of a statement that begins at a place, else the innermost around it; None where only its layout is."""
    inside = None if place != found.start else 0
    for number, node in enumerate(_parts(found.node)):
        start = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        if number and start <= place < (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)):
            inside = number
            if start == place:
                return number
    return inside
