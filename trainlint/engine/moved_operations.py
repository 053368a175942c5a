"""Operations of a text that was edited since its project was executed: they move with their lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.operations import Operation, Position
    from trainlint.source import SourceFile


def moved(operations: Sequence[Operation], before: SourceFile, after: SourceFile) -> tuple[Operation, ...]:
    """The operations of a text whose lines all stand in another text, where they stand there.

    What is new in the other text has none until its project is executed again.
    """
    places = _Places(before, after)
    found = (places.operation(operation) for operation in operations)
    return tuple(operation for operation in found if operation is not None)


class _Places:
    """Where the lines of a text stand in another."""

    def __init__(self, before: SourceFile, after: SourceFile) -> None:
        self._path = before.path
        blocks = SequenceMatcher(None, _lines(before), _lines(after)).get_matching_blocks()
        self._lines = {block.a + line: block.b + line for block in blocks for line in range(1, block.size + 1)}

    def operation(self, operation: Operation) -> Operation | None:
        position = self._position(operation.position)
        if position is None:
            return None
        alike = (self._position(one) for one in operation.alike)
        return operation.with_links(self._link)._replace(
            position=position,
            alike=tuple(one for one in alike if one is not None),
            function=self._lines.get(operation.function, operation.function),
        )

    def _position(self, position: Position) -> Position | None:
        line = self._lines.get(position.line)
        shift = 0 if line is None else line - position.line
        lines = range(position.line, position.end_line + 1)
        if any(self._lines.get(each) != each + shift for each in lines):
            return None
        return position._replace(line=position.line + shift, end_line=position.end_line + shift)

    def _link(self, link: Link) -> Link:
        return link._replace(line=self._lines.get(link.line, link.line)) if link.path == self._path else link


def _lines(source: SourceFile) -> list[str]:
    """The lines as Python counts them, without what may be a comment: where a comment is added, the code stays."""
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.partition("#")[0].rstrip() for line in lines]
