"""What becomes of a file that is to be rewritten: its fixes, and then ignore comments for what stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from trainlint.finding import Finding, Safety, UnappliedFix
from trainlint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class PlaceShown(NamedTuple):
    """Where a finding is shown, and its rule."""

    path: str
    code: str
    cell: int | None
    """The cell of a notebook that the line is counted in."""
    line: int
    column: int


def place_shown(finding: Finding) -> PlaceShown:
    """Where a finding is shown, and its rule."""
    return PlaceShown(finding.path, finding.code, finding.cell, finding.span.start_line, finding.span.start_column)


@dataclass(frozen=True, slots=True)
class Fixing:
    """What is to be done about findings, besides reporting them."""

    limit: Safety | None
    """Fixes up to this level are applied; None for no fix."""
    write: bool = True
    """Whether files are written; otherwise the rewrites are only handed back."""
    ignore_reason: str | None = None
    """Why what stays is to be silenced by ignore comments; None where it is to be reported."""
    chosen: frozenset[PlaceShown] | None = None
    """Which findings are fixed, as `place_shown` tells them; None for all."""
    silenced: frozenset[PlaceShown] | None = None
    """Which findings get ignore comments, by their places before anything is fixed; None for all that stay."""
    endless: frozenset[str] = frozenset()
    """Rules whose fixes are not applied, as they undo each other from file to file."""

    @property
    def is_settled_by_passes(self) -> bool:
        """Whether what fixes bring to light in other files is fixed as well: not where somebody chose findings."""
        return self.limit is not None and self.chosen is None and self.silenced is None

    def applies_to(self, findings: Iterable[Finding]) -> bool:
        """Whether something is to be done about any of the findings."""
        return any(self.ignore_reason is not None or self.fixes(finding) for finding in findings)

    def fixes(self, finding: Finding) -> bool:
        """Whether the finding has a fix that is to be applied."""
        if self.limit is None or finding.fix is None or finding.fix.safety > self.limit:
            return False
        if finding.code in self.endless:
            return False
        return self.chosen is None or place_shown(finding) in self.chosen

    def in_text(self, source: SourceFile) -> Fixing:
        """The same for a notebook, with the chosen places counted in its joined text, as the engine counts."""
        if self.chosen is None or source.cells is None:
            return self
        places: set[PlaceShown] = set()
        for place in self.chosen:
            line = source.cells.line_in_text(place.cell, place.line) if place.cell is not None else None
            if place.path == source.path and line is not None:
                places.add(place._replace(cell=None, line=line))
        return replace(self, chosen=frozenset(places))


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file after its fixes and with its new ignore comments."""

    source: SourceFile
    findings: tuple[Finding, ...]
    """What still stands."""
    fixed: tuple[Finding, ...]
    ignored: int
    """How many findings new comments silence."""
    unapplied: tuple[UnappliedFix, ...]


def rewritten(
    source: SourceFile,
    findings: tuple[Finding, ...],
    fixing: Fixing,
    judge: Callable[[SourceFile], Sequence[Finding]],
) -> Rewritten:
    """Do what is to be done about the findings of a text. Nothing is written."""
    done = Rewritten(source, findings, (), 0, ())
    if fixing.limit is not None and any(map(fixing.fixes, findings)):
        from trainlint.fixing import fix_to_fixpoint

        wanted = None if fixing.chosen is None else [finding for finding in findings if fixing.fixes(finding)]
        result = fix_to_fixpoint(source, judge, fixing.limit, wanted, fixing.endless)
        done = Rewritten(result.source, result.remaining, result.applied, 0, result.unapplied)
    return done if fixing.ignore_reason is None else _with_ignores(done, fixing, fixing.ignore_reason, judge)


def _with_ignores(
    done: Rewritten, fixing: Fixing, reason: str, judge: Callable[[SourceFile], Sequence[Finding]]
) -> Rewritten:
    """With a comment for each finding that one can silence; a comment that does not is a note, and is not written."""
    from trainlint.fixing.fixpoint import misfit
    from trainlint.suppress.addition import additions

    before = done.source
    meant = [finding for finding in done.findings if fixing.silenced is None or place_shown(finding) in fixing.silenced]
    source = before.edited(additions(before, meant, reason))
    if source.text == before.text:
        return done
    if problem := misfit(source):
        note = UnappliedFix(before.path, done.findings[0].code, f"ignore comments were not added: {problem}")
        return Rewritten(before, done.findings, done.fixed, 0, (*done.unapplied, note))
    findings = tuple(judge(source))
    return Rewritten(source, findings, done.fixed, len(done.findings) - len(findings), done.unapplied)
