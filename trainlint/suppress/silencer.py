"""Which findings the ignore comments of a file silence, and which comments were of use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.finding import Finding
    from trainlint.suppress.comments import Comments
    from trainlint.suppress.entries import Entry


class Silencer:
    """Asks every comment that reaches a finding, and remembers which were of use."""

    def __init__(self, comments: Comments, entries: Iterable[Entry]) -> None:
        self.used: set[Entry] = set()
        self.count = 0
        self._comments = comments
        self._by_line: dict[int | None, list[Entry]] = {}
        """Comments by the first line of their statement; those for the whole file by None."""
        for entry in entries:
            directive = entry.directive
            line = None if directive.whole_file else comments.statement(directive.line)
            self._by_line.setdefault(line, []).append(entry)

    def unsilenced(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that no comment reaches."""
        kept = []
        for finding in findings:
            silencing = self.silencing(finding)
            self.used.update(silencing)
            self.count += bool(silencing)
            if not silencing:
                kept.append(finding)
        return kept

    def silencing(self, finding: Finding) -> list[Entry]:
        """The comments that reach a finding."""
        line = self._comments.statement(finding.span.start_line)
        reaching = (*self._by_line.get(None, ()), *self._by_line.get(line, ()))
        return [entry for entry in reaching if entry.silences(finding)]
