"""The findings about ignore comments themselves: TRN002 and TRN003."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.finding import Finding
from trainlint.naming import did_you_mean, words_for
from trainlint.retired import retired_notes
from trainlint.suppress.entries import UNKNOWN_CODE, UNUSED_IGNORE, Entry, Vocabulary
from trainlint.suppress.removal import removal

if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Fix
    from trainlint.source import SourceFile
    from trainlint.suppress.comments import Directive


@dataclass(frozen=True, slots=True)
class CommentFindings:
    """Makes the findings about comments, for the rules that are on."""

    source: SourceFile
    words: Vocabulary
    rules: dict[str, InstalledRule]

    def unknown(self, entries: Iterable[Entry]) -> list[Finding]:
        """TRN003 for each word of ours that stands for no rule."""
        if UNKNOWN_CODE not in self.rules or not self.words.complete:
            return []
        found = []
        for entry in entries:
            if entry.word and entry.ours and not entry.codes:
                word = entry.word.text
                hint = did_you_mean(word, words_for(self.words.known))
                unknown = f'no rule is called "{word}", so this comment cannot silence it{hint}'
                message = next(iter(retired_notes([word])), unknown)
                found.append(self._finding(UNKNOWN_CODE, entry.word.start, entry.word.stop, message))
        return found

    def unused(self, entries: Iterable[Entry], used: set[Entry]) -> list[Finding]:
        """TRN002 for each comment that silences nothing, or that has words which do not."""
        if UNUSED_IGNORE not in self.rules:
            return []
        by_directive: dict[Directive, list[Entry]] = {}
        for entry in entries:
            if entry not in used and entry.ours and self.words.is_judged(entry):
                by_directive.setdefault(entry.directive, []).append(entry)
        return [self._unused(directive, found) for directive, found in by_directive.items()]

    def _unused(self, directive: Directive, entries: list[Entry]) -> Finding:
        words = tuple(entry.word for entry in entries if entry.word)
        named = " and ".join(word.text for word in words) or "any finding"
        verb = "do" if len(words) > 1 else "does"
        place = "in this file" if directive.whole_file else "here"
        unused = f"unused ignore: {named} {verb} not occur {place}"
        message = "; ".join((unused, *retired_notes(word.text for word in words)))
        start, stop = (words[0].start, words[-1].stop) if words else (directive.start, directive.head_stop)
        return self._finding(UNUSED_IGNORE, start, stop, message, removal(self.source, directive, words))

    def _finding(self, code: str, start: int, stop: int, message: str, fix: Fix | None = None) -> Finding:
        rule = self.rules[code]
        span = self.source.span(start, stop)
        return Finding(rule.code, rule.name, self.source.path, span, message, rule.severity, fix=fix)
