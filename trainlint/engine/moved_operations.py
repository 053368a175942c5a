"""Operations of a text that was edited since its project was executed: they move with their lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from trainlint.finding import Frequencies

if TYPE_CHECKING:
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.operations import Operation, Position
    from trainlint.source import SourceFile


_LINE = re.compile(r"line (\d+)")


def moved(operations: Sequence[Operation], before: SourceFile, after: SourceFile) -> tuple[Operation, ...]:
    """The operations of a text whose lines all stand in another text, where they stand there.

    What is new in the other text has none until its project is executed again.
    """
    places = _Places(before, after)
    found = (places.operation(operation) for operation in operations)
    return tuple(operation for operation in found if operation is not None)


def moved_frequencies(frequencies: Frequencies, before: SourceFile, after: SourceFile) -> Frequencies:
    """How often the statements of another text are executed, by what is known of those of a text.

    What is new in the other text is executed as often as what it stands in place of.
    """
    places = _Places(before, after)
    return Frequencies(
        facts=tuple(replace(fact, chain=tuple(map(places.step, fact.chain))) for fact in frequencies.facts),
        lines={places.line(line): fact for line, fact in frequencies.lines.items()},
        parts={(places.line(line), column): fact for (line, column), fact in frequencies.parts.items()},
        calls={places.line(line): calls for line, calls in frequencies.calls.items()},
        leading_out=frozenset(map(places.line, frequencies.leading_out)),
        kinds={(places.line(line), column): kind for (line, column), kind in frequencies.kinds.items()},
    )


class _Places:
    """Where the lines of a text stand in another."""

    def __init__(self, before: SourceFile, after: SourceFile) -> None:
        self._path = before.path
        blocks = SequenceMatcher(None, _lines(before), _lines(after)).get_matching_blocks()
        self._lines = {block.a + line: block.b + line for block in blocks for line in range(1, block.size + 1)}
        self._kept = sorted(self._lines)

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

    def line(self, line: int) -> int:
        """Where a line stands in the other text, or what stands there in its place."""
        place = bisect_right(self._kept, line)
        if not place:
            return line
        before = self._kept[place - 1]
        return self._lines[before] + line - before

    def step(self, step: str) -> str:
        """A step of a chain in the same file, with its line there."""
        found = _LINE.match(step)
        return step if found is None else f"line {self.line(int(found[1]))}{step[found.end() :]}"

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
