"""Fixes repeated until nothing more applies, each round proved before it counts."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from trainlint.finding import Edit, Finding, Safety, UnappliedFix
from trainlint.fixing.apply import apply_fixes, fix_problem
from trainlint.source import SourceFile, UnreadableSource, decode_source, source_from_text
from trainlint.training_settings.files import is_settings
from trainlint.training_settings.tree import settings_tree

Judge = Callable[[SourceFile], Sequence[Finding]]
"""What finds out what is to be fixed: a text in, its findings out."""

ROUNDS = 20
"""How many rounds may change a file before its fixes count as endless."""

_Place = tuple[str, int]
"""A finding's code and the offset where it starts: enough to know it again in a changed text."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """A file after all its fixes."""

    source: SourceFile
    applied: tuple[Finding, ...]
    """What was fixed, in the order in which it was; positions are those of the text of its own round."""
    remaining: tuple[Finding, ...]
    """What the judge says of the fixed text. A finding whose fix was dropped no longer offers it."""
    unapplied: tuple[UnappliedFix, ...]
    """Fixes that were dropped because they did harm or nothing, each with its rule."""


def fix_to_fixpoint(
    source: SourceFile,
    judge: Judge,
    limit: Safety,
    wanted: Iterable[Finding] | None = None,
    endless: frozenset[str] = frozenset(),
) -> FixResult:
    """Apply the fixes up to `limit` round by round until none is left; of some findings only, where they are given.

    A round counts only if its text can be written in the file's encoding, parses, is new, if what it fixed is gone,
    and if no finding is new on a line that it changed, unless a fix up to `limit` removes that. Otherwise it is taken
    back and half of its fixes are tried, until a single one is found guilty: that one is dropped and named in the
    result. Rules whose fixes never come to an end are left out, from the start, and so are those known as `endless`.
    """
    unapplied: list[UnappliedFix] = []
    places = None if wanted is None else frozenset(_place(source, finding) for finding in wanted)
    while True:
        run = _Run(source, judge, limit, endless, wanted=places)
        last = run.repeat()
        if not last:
            return FixResult(run.source, tuple(run.applied), run.remaining(), (*unapplied, *run.unapplied))
        endless |= last
        for code in sorted(last):
            reason = (
                f"the fixes of {code} do not end after {ROUNDS} rounds, so none was applied; please report this rule"
            )
            unapplied.append(UnappliedFix(source.path, code, reason))


@dataclass(slots=True)
class _Run:
    """The rounds over one file, without the rules known to be endless."""

    source: SourceFile
    judge: Judge
    limit: Safety
    endless: frozenset[str]
    wanted: frozenset[_Place] | None
    """The places that are fixed, in the text as it is now; None for all."""
    findings: tuple[Finding, ...] = ()
    applied: list[Finding] = field(default_factory=list)
    unapplied: list[UnappliedFix] = field(default_factory=list)
    dropped: set[_Place] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def repeat(self) -> frozenset[str]:
        """Do the rounds. The codes of the last round where they do not end, else nothing."""
        self.findings = tuple(self.judge(self.source))
        if not parses(self.source.path, self.source.text):
            return frozenset()  # The judge has said so; there is no telling what a fix would do.
        self.seen.add(self.source.text)
        for _ in range(ROUNDS):
            done = self.round()
            if not done:
                return frozenset()
        return frozenset(finding.code for finding in done) if self.candidates() else frozenset()

    def candidates(self) -> list[Finding]:
        """What may be fixed now. A fix that is broken in itself is dropped here."""
        sound = []
        for finding in self.findings:
            if finding.fix is None or finding.fix.safety > self.limit or self.refuses(finding):
                continue
            if self.wanted is not None and _place(self.source, finding) not in self.wanted:
                continue
            problem = fix_problem(self.source, finding.fix)
            if problem is None:
                sound.append(finding)
            else:
                self.drop(finding, problem)
        return sound

    def drop(self, finding: Finding, problem: str) -> None:
        """Never try this fix again, and say why."""
        self.dropped.add(_place(self.source, finding))
        title = finding.fix.title if finding.fix else ""
        place = self.source.line_name(finding.span.start_line)
        reason = f'the fix "{title}" at {place} was not applied: {problem}'
        self.unapplied.append(UnappliedFix(self.source.path, finding.code, reason))

    def remaining(self) -> tuple[Finding, ...]:
        """What stands at the end, without the fixes that were found to be of no use."""
        return tuple(
            replace(finding, fix=None) if finding.fix is not None and self.refuses(finding) else finding
            for finding in self.findings
        )

    def refuses(self, finding: Finding) -> bool:
        """Whether the fix of a finding is not tried, or not again."""
        return finding.code in self.endless or _place(self.source, finding) in self.dropped

    def round(self) -> tuple[Finding, ...]:
        """Apply as much as goes well together; what was applied, nothing at the fixpoint."""
        batch: Sequence[Finding] = self.candidates()
        while batch:
            attempt = apply_fixes(self.source, batch, self.limit)
            outcome = self.prove(attempt.source, attempt.applied)
            if not isinstance(outcome, str):
                self.accept(*outcome, attempt.applied)
                return attempt.applied
            if len(attempt.applied) > 1:
                batch = attempt.applied[: len(attempt.applied) // 2]
            else:
                self.drop(attempt.applied[0], outcome)
                batch = self.candidates()
        return ()

    def prove(self, source: SourceFile, fixed: Sequence[Finding]) -> tuple[SourceFile, tuple[Finding, ...]] | str:
        """The new source and its findings; where the round must not count, why, as the end of a sentence."""
        if problem := misfit(source):
            return problem
        if source.text in self.seen:
            return "it undoes what another fix did; please report this rule"
        findings = tuple(self.judge(source))
        if self.still_stands(source, findings, fixed):
            return "the finding still stands after it; please report this rule"
        if code := self.brought_up(source, findings, fixed):
            return f"{code} would be found on a line that it changes, and no fix removes that"
        return source, findings

    def still_stands(self, source: SourceFile, after: Sequence[Finding], fixed: Sequence[Finding]) -> bool:
        """Whether something fixed is found again: a rule finds as much as before, and something at the same place.

        A fix may well bring new findings to light elsewhere; the next rounds see to those.
        """
        change = Counter(finding.code for finding in after)
        change.subtract(finding.code for finding in self.findings)
        change.update(finding.code for finding in fixed)
        edits = _edits(fixed)
        standing = {_place(source, finding) for finding in after}
        return any(
            change[finding.code] > 0 and _shifted_place(_place(self.source, finding), edits) in standing
            for finding in fixed
        )

    def brought_up(self, source: SourceFile, after: Sequence[Finding], fixed: Sequence[Finding]) -> str | None:
        """The code of a finding that is new on a changed line and that no fix of the next rounds can remove."""
        change = Counter(finding.code for finding in after)
        change.subtract(finding.code for finding in self.findings)
        edits = _edits(fixed)
        lines = _written_lines(source, edits)
        known = {_shifted_place(_place(self.source, finding), edits) for finding in self.findings}
        for finding in after:
            stays = finding.fix is None or finding.fix.safety > self.limit or finding.code in self.endless
            is_new = change[finding.code] > 0 and _place(source, finding) not in known
            if stays and is_new and finding.span.start_line in lines:
                return finding.code
        return None

    def accept(self, source: SourceFile, findings: tuple[Finding, ...], fixed: Sequence[Finding]) -> None:
        edits = _edits(fixed)
        self.dropped = {_shifted_place(place, edits) for place in self.dropped}
        if self.wanted is not None:
            done = {_place(self.source, finding) for finding in fixed}
            self.wanted = frozenset(_shifted_place(place, edits) for place in self.wanted - done)
        self.source, self.findings = source, findings
        self.applied += fixed
        self.seen.add(source.text)


def misfit(source: SourceFile) -> str | None:
    """Why an edited text cannot stand in its file, as the end of a sentence; None where it can."""
    if source.cells and not source.cells.is_stable(source.text):
        return "a cell of the notebook would be read in another way"
    if not _round_trips(source):
        return f"its text does not fit the file's encoding, {source.encoding}; save the file as UTF-8"
    if not parses(source.path, source.text):
        return "the result can no longer be read; please report this rule"
    return None


def parses(path: str, text: str) -> bool:
    """Whether this Python's own parser takes the text, or that of settings. Warnings do not count."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if is_settings(path):
                settings_tree(source_from_text(path, text))
            else:
                ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _round_trips(source: SourceFile) -> bool:
    try:
        data = source.encode(source.text)
        return source.cells is not None or decode_source(source.path, data).text == source.text
    except (UnicodeEncodeError, UnreadableSource):
        return False


def _edits(findings: Iterable[Finding]) -> list[Edit]:
    return sorted({edit for finding in findings if finding.fix for edit in finding.fix.edits})


def _written_lines(source: SourceFile, edits: Sequence[Edit]) -> set[int]:
    """The lines of the new text that hold something of the edits."""
    lines: set[int] = set()
    shift = 0
    for edit in edits:
        start = edit.start + shift
        shift += len(edit.text) - (edit.stop - edit.start)
        lines |= set(range(source.position(start)[0], source.position(start + len(edit.text))[0] + 1))
    return lines


def _place(source: SourceFile, finding: Finding) -> _Place:
    span = finding.span
    return finding.code, source.line_starts[span.start_line - 1] + span.start_column - 1


def _shifted_place(place: _Place, edits: Sequence[Edit]) -> _Place:
    """Where a place lies after the edits; what an edit replaced lies where its text begins."""
    code, offset = place
    shift = 0
    for edit in edits:
        if edit.stop <= offset:
            shift += len(edit.text) - (edit.stop - edit.start)
        elif edit.start < offset:
            return code, edit.start + shift
    return code, offset + shift
