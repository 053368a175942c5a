"""Which findings the ignore comments of a file silence, and which comments were of use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.finding import Finding
    from trainlint.suppress.comments import Comments
    from trainlint.suppress.entries import Entry


class Silencer:
    """Asks every comment that reaches a finding, and remembers which were of use."""

    def __init__(
        self,
        comments: Comments,
        entries: Iterable[Entry],
        elsewhere: Mapping[str, Sequence[str]],
        codes: Callable[[Sequence[str]], Collection[str]],
    ) -> None:
        """`elsewhere` are comments of other files by "path:line"; `codes` gives those of the rules that words name."""
        self.used: set[Entry] = set()
        self.count = 0
        self._comments = comments
        self._elsewhere = elsewhere
        self._codes = codes
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
            if silencing or self._silenced_elsewhere(finding):
                self.count += 1
            else:
                kept.append(finding)
        return kept

    def silencing(self, finding: Finding) -> list[Entry]:
        """The comments of the file that reach a finding, at its own place or at a related one.

        A bare `# noqa` is there for other linters as well, so it speaks of what its own statement shows.
        """
        own = self._comments.statement(finding.span.start_line)
        related = [place.line for place in finding.related if place.path == finding.path]
        lines = dict.fromkeys((None, own, *(self._comments.statement(line) for line in related)))
        return [
            entry
            for line in lines
            for entry in self._by_line.get(line, ())
            if entry.silences(finding) and (line in (None, own) or not entry.directive.is_bare_noqa)
        ]

    def _silenced_elsewhere(self, finding: Finding) -> bool:
        """Whether a comment at a related place in another file silences a finding."""
        words = (self._elsewhere.get(f"{place.path}:{place.line}") for place in finding.related)
        return any(finding.code in self._codes(found) for found in words if found is not None)

    def mark_used(self, lines: Iterable[int]) -> None:
        """Count the comments of some lines as used: whether they are, only findings in other files could tell."""
        for line in lines:
            self.used.update(self._by_line.get(self._comments.statement(line), ()))
