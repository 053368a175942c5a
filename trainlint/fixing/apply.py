"""One pass of fixes over a text: whole fixes only, and none that gets in the way of another."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from trainlint.finding import Edit, Finding, Fix, Safety
from trainlint.source import SourceFile

_by_place = attrgetter("start", "stop")


@dataclass(frozen=True, slots=True)
class Applied:
    """What one pass made of a text."""

    source: SourceFile
    applied: tuple[Finding, ...]
    """The findings whose fixes are in the text, in the order of their positions."""

    @property
    def text(self) -> str:
        """The text that was made."""
        return self.source.text


def apply_fixes(source: SourceFile, findings: Sequence[Finding], limit: Safety) -> Applied:
    """Apply the fixes up to `limit`, first come first served by position; the others wait for the next pass.

    All edits of a fix are made or none. Two fixes that share an identical edit, such as the same new import,
    make it once. Fixes overlap when they replace a common character, and also when one inserts where the other
    edits, because then the order of the two would be a guess. Broken fixes (see `fix_problem`) are left out.
    """
    taken: list[Edit] = []
    edits: list[Edit] = []
    applied: list[Finding] = []
    for finding in sorted(findings, key=attrgetter("order")):
        fix = finding.fix
        if fix is None or fix.safety > limit or fix_problem(source, fix) is not None:
            continue
        new = [edit for edit in dict.fromkeys(fix.edits) if not _contains(taken, edit)]
        if any(_is_blocked(taken, edit) for edit in new):
            continue
        for edit in new:
            insort(taken, edit)
        edits += new
        applied.append(finding)
    return Applied(source.edited(edits), tuple(applied))


def fix_problem(source: SourceFile, fix: Fix) -> str | None:
    """What is wrong with a fix before anything is tried, as the end of a sentence; None for a sound one."""
    edits = sorted(dict.fromkeys(fix.edits), key=_by_place)
    if any(not 0 <= edit.start <= edit.stop <= len(source.text) for edit in edits):
        return "it edits outside the file"
    if any(before.stop > after.start for before, after in pairwise(edits)):
        return "its edits overlap"
    if all(source.text[edit.start : edit.stop] == edit.text for edit in edits):
        return "it changes nothing"
    return source.cells.refusal(source.text, edits) if source.cells else None


def _contains(taken: list[Edit], edit: Edit) -> bool:
    place = bisect_left(taken, edit)
    return place < len(taken) and taken[place] == edit


def _is_blocked(taken: list[Edit], edit: Edit) -> bool:
    # The taken edits are disjoint and sorted, so only the two neighbours can get in the way.
    place = bisect_left(taken, edit)
    return any(_collide(edit, other) for other in taken[max(0, place - 1) : place + 1])


def _collide(one: Edit, other: Edit) -> bool:
    if one.start == one.stop or other.start == other.stop:
        return one.start <= other.stop and other.start <= one.stop
    return one.start < other.stop and other.start < one.stop
