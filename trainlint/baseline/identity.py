"""How a finding is known again in another state of the code: the one recipe for all formats, baselines and `--only`.

A finding keeps its id where lines come or go around it, and where its statement is indented or formatted otherwise. It
gets another one where its statement changes, or its file or function is renamed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.baseline.statements import StatementPlace, Statements, digest
from trainlint.paths import absolute, shown_path
from trainlint.project import project_around

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainlint.finding import Finding
    from trainlint.source import SourceFile

_LONGEST_LINE = 160
"""Characters of a line that are kept as they are. Of a longer one the rest is kept as a hash."""
_ID_DIGITS = 10


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """What a finding is known by, besides its file."""

    code: str
    function: str
    """The qualified name of the function or class around it, as in `Trainer.step`; empty at the top of a file."""
    statement: str
    """The digest of its statement; empty in an entry of a baseline from before these were, which is known by `line`."""
    line: str = field(compare=False)
    """The text of its first line, with one blank for each run of blanks, and without indentation."""


class Identities:
    """The identities of findings. Each file is parsed once."""

    def __init__(self, sources: Callable[[str], SourceFile | None], directory: str | None = None) -> None:
        """`directory` is where the paths of findings start; None for the working directory."""
        self.sources = sources
        self._directory = Path(directory) if directory is not None else Path.cwd()
        self._statements: dict[str, Statements] = {}
        self._paths: dict[str, str] = {}

    def of(self, finding: Finding) -> Identity:
        """What a finding is known by. Where its file is no longer at hand, its message stands for the line."""
        place, source = self._place(finding), self.sources(finding.path)
        if source is not None and finding.cell is not None:
            source = source.cell(finding.cell)
        line = finding.message if source is None else source.line(finding.span.start_line)
        return Identity(finding.code, place.function, place.statement, normalised(line))

    def id_of(self, finding: Finding) -> str:
        """The id of a finding: ten hexadecimal digits.

        It is told by the rule, the file's path in its project, the function, the statement, how many equal ones stand
        before it there, and the part of the statement. No other finding has a say in it.
        """
        function, statement, ordinal, part = self._place(finding)
        path = self._path_in_project(finding.path)
        return digest(finding.code, path, function, statement, str(ordinal), str(part))[:_ID_DIGITS]

    def _place(self, finding: Finding) -> StatementPlace:
        source = self.sources(finding.path)
        if source is None:
            return StatementPlace("", digest(finding.message)[:16], 0, 0)
        if finding.path not in self._statements:
            self._statements[finding.path] = Statements(source)
        line: int | None = finding.span.start_line
        if finding.cell is not None:
            line = source.cells.line_in_text(finding.cell, finding.span.start_line) if source.cells else None
        return self._statements[finding.path].at(line or 0, finding.span.start_column)

    def _path_in_project(self, shown: str) -> str:
        """The path from the root of the file's project, which does not depend on where trainlint was started."""
        if shown not in self._paths:
            path = absolute(self._directory / shown)
            self._paths[shown] = shown_path(path, Path(project_around(str(path.parent)) or self._directory))
        return self._paths[shown]


def normalised(line: str) -> str:
    """A line as identities hold it."""
    text = " ".join(line.split())
    if len(text) <= _LONGEST_LINE:
        return text
    return f"{text[:_LONGEST_LINE]}... {digest(text)[:12]}"
