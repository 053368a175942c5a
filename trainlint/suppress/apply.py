"""Silences findings by ignore comments, and finds the comments that silence nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.finding import Finding, Fix
from trainlint.naming import did_you_mean, words_for
from trainlint.suppress.comments import Comments, Directive, may_hold_directives, read_comments
from trainlint.suppress.entries import UNKNOWN_CODE, UNUSED_IGNORE, Entry, Vocabulary, vocabulary
from trainlint.suppress.removal import removal

if TYPE_CHECKING:
    import ast

    from trainlint.declared import Bound, Known
    from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class Suppression:
    """What is left to tell after the ignore comments of a file had their say."""

    findings: tuple[Finding, ...]
    """The findings that no comment silences, and those about comments, in their stable order."""
    suppressed: int
    """How many findings comments silenced."""


def suppress(
    source: SourceFile,
    findings: Sequence[Finding],
    rules: Sequence[Bound],
    known: Sequence[Known] | None = None,
    tree: ast.Module | None = None,
) -> Suppression:
    """Drop the findings that ignore comments silence; add TRN002 and TRN003 for comments that silence nothing.

    `rules` are those that ran on this file without a failure; `known` are all that are installed. A code is unused
    only if its rules ran, and unknown only if no installed rule has it: without `known` no code is called unknown, and
    comments that silence several rules are not called unused. `tree` is the file's, where it is at hand: it saves time.

    Hand over findings of every confidence: a comment that silences a doubtful one is not unused.
    """
    if not may_hold_directives(source.text):
        return Suppression(_in_order(findings), 0)
    words = vocabulary(known, rules)
    comments = read_comments(source, words.is_rule, tree)
    entries = [entry for directive in comments.directives for entry in words.entries(directive)]
    silencer = _Silencer(comments, entries)
    kept = silencer.unsilenced(findings)
    reporter = _Reporter(source, words, {rule.code: rule for rule in rules})
    kept += silencer.unsilenced(reporter.unknown(entries))
    # An unused `TRN002` can be told only when all else that is unused has been.
    others = [entry for entry in entries if entry.codes != {UNUSED_IGNORE}]
    kept += silencer.unsilenced(reporter.unused(others, silencer.used))
    kept += reporter.unused((entry for entry in entries if entry.codes == {UNUSED_IGNORE}), silencer.used)
    return Suppression(_in_order(kept), silencer.count)


def silencing_lines(
    source: SourceFile, findings: Iterable[Finding], rules: Sequence[Bound], known: Sequence[Known] | None = None
) -> dict[Finding, int]:
    """For each finding that an ignore comment silences, the line of the first such comment."""
    if not may_hold_directives(source.text):
        return {}
    words = vocabulary(known, rules)
    comments = read_comments(source, words.is_rule)
    silencer = _Silencer(comments, [entry for directive in comments.directives for entry in words.entries(directive)])
    found = ((finding, silencer.silencing(finding)) for finding in findings)
    return {finding: min(entry.directive.line for entry in entries) for finding, entries in found if entries}


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.order))


class _Silencer:
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
        kept = []
        for finding in findings:
            silencing = self.silencing(finding)
            self.used.update(silencing)
            self.count += bool(silencing)
            if not silencing:
                kept.append(finding)
        return kept

    def silencing(self, finding: Finding) -> list[Entry]:
        line = self._comments.statement(finding.span.start_line)
        reaching = (*self._by_line.get(None, ()), *self._by_line.get(line, ()))
        return [entry for entry in reaching if entry.silences(finding)]


@dataclass(frozen=True, slots=True)
class _Reporter:
    """Words the findings about comments, for the rules that are on."""

    source: SourceFile
    words: Vocabulary
    rules: dict[str, Bound]

    def unknown(self, entries: Iterable[Entry]) -> list[Finding]:
        """TRN003 for each word of ours that stands for no rule."""
        if UNKNOWN_CODE not in self.rules or not self.words.complete:
            return []
        found = []
        for entry in entries:
            if entry.word and entry.ours and not entry.codes:
                hint = did_you_mean(entry.word.text, words_for(self.words.known))
                message = f'no rule is called "{entry.word.text}", so this comment cannot silence it{hint}'
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
        named = " and ".join(word.text for word in words) or "this ignore"
        verb = "silence" if len(words) > 1 else "silences"
        place = "in this file" if directive.whole_file else "on this statement"
        message = f"{named} {verb} nothing {place}, and would hide the next real finding without a word"
        start, stop = (words[0].start, words[-1].stop) if words else (directive.start, directive.head_stop)
        return self._finding(UNUSED_IGNORE, start, stop, message, removal(self.source, directive, words))

    def _finding(self, code: str, start: int, stop: int, message: str, fix: Fix | None = None) -> Finding:
        rule = self.rules[code]
        span = self.source.span(start, stop)
        return Finding(rule.code, rule.name, self.source.path, span, message, rule.severity, fix=fix)
