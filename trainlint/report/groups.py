"""Findings that one change cures, shown as one; and the order of all that is shown.

Each place stays a finding of its own, with its id, its entry in a baseline and its ignore comment. Only what is shown
is grouped: a group is a view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from trainlint.costs import dearness
from trainlint.finding import Heat
from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.evidence.verdicts import State, Verdict
    from trainlint.finding import Finding, Report

_NEAR = 10
"""Lines between two places that a reader still sees together."""
_WAITS, _NAMES = "TRN2", "TRN8"
"""How the codes of rules about waits and about old names begin."""
_CODE = lazy("`[^`]*`")


class Reason(Enum):
    """Why findings are one group."""

    SIDE_BY_SIDE = "side by side"
    """One rule advises the same on lines near each other, for the same chain of calls."""
    ONE_VALUE = "one value"
    """The same expression for the same chain of calls, whichever rules of a topic look at it."""
    ONE_LOOP = "one loop"
    """One rule says the same of one loop or function, word for word, or advises the same of what runs many times a
    step."""
    ONE_STATEMENT = "one statement"
    """Waits in the same line, or one inside of another."""
    ONE_NAME = "one name"
    """Uses of one old name, or of old names of one module, in one file."""


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that one change cures."""

    findings: tuple[Finding, ...]
    """At least one, in the order of their places."""
    reasons: frozenset[Reason] = frozenset()
    """Why they are together; none where it is one finding."""

    @property
    def first(self) -> Finding:
        """The finding by which the group is known."""
        return self.findings[0]


def groups_of(report: Report, *, by_path: bool = False) -> tuple[Group, ...]:
    """The groups of a report's findings: the dearest first, or by path."""
    verdicts = report.measured.verdicts if report.measured else {}
    found = grouped(report.findings, verdicts)
    if by_path:
        return found

    def rank(group: Group) -> tuple[object, ...]:
        cost = min(dearness(finding, verdicts.get(finding)) for finding in group.findings)
        return cost, -len(group.findings), group.first.order

    return tuple(sorted(found, key=rank))


def grouped(findings: Iterable[Finding], verdicts: Mapping[Finding, Verdict]) -> tuple[Group, ...]:
    """Each finding in one group, the groups in the order of their first findings' places.

    What a run confirmed and what it refuted are never one group; what it says nothing of is in none with the latter.
    """
    listed = sorted(findings, key=lambda finding: finding.order)
    states = [verdicts[finding].state if finding in verdicts else None for finding in listed]
    # For each finding the number of one before it in its group; its own where it is the first.
    before = list(range(len(listed)))

    def first(number: int) -> int:
        while before[number] != number:
            number = before[number]
        return number

    kept: list[tuple[int, Reason]] = []
    for one, other, reason in _joined(listed):
        earlier, later = sorted((first(one), first(other)))
        if not _may_be_one(states[earlier], states[later]):
            continue
        before[later] = earlier
        states[earlier] = states[earlier] or states[later]
        kept.append((one, reason))
    members: dict[int, list[Finding]] = {}
    reasons: dict[int, set[Reason]] = {}
    for number, finding in enumerate(listed):
        members.setdefault(first(number), []).append(finding)
    for one, reason in kept:
        reasons.setdefault(first(one), set()).add(reason)
    return tuple(Group(tuple(found), frozenset(reasons.get(number, ()))) for number, found in members.items())


def _may_be_one(one: State | None, other: State | None) -> bool:
    """Whether what a run says of two findings lets one change be for both; None where it says nothing."""
    if one is other:
        return True
    if one is not None and other is not None:
        return False
    from trainlint.evidence.verdicts import State  # a report without evidence needs none of its classes

    return State.REFUTED not in (one, other)


def _joined(listed: Sequence[Finding]) -> Iterator[tuple[int, int, Reason]]:
    """The numbers of two findings that one change cures, and why."""
    for reason, (key, together) in _JOINS.items():
        alike: dict[object, list[int]] = {}
        for number, finding in enumerate(listed):
            if (said := key(finding)) is not None:
                alike.setdefault((finding.path, finding.cell, said), []).append(number)
        for numbers in alike.values():
            for one, other in pairwise(numbers):
                if together(listed[one], listed[other]):
                    yield one, other, reason


def ranked(report: Report) -> Iterator[tuple[Finding, Group, int]]:
    """Each finding in the order of places, with its group and the group's place in the order of costs, from 1."""
    groups = groups_of(report)
    known = {finding: (group, rank) for rank, group in enumerate(groups, 1) for finding in group.findings}
    return ((finding, *known[finding]) for finding in report.findings)


def first_code(text: str) -> str:
    """The code that a message begins with; empty where it begins with a word."""
    return text.split("`")[1] if text.startswith("`") and text.count("`") > 1 else ""


def without_code(text: str) -> str:
    """A text with nothing in its code spans, so that two that differ only there are equal."""
    return _CODE.sub("``", text)


def _advice(finding: Finding) -> object:
    level = finding.fix.safety if finding.fix else None
    return finding.code, finding.chain, finding.heat, level, without_code(finding.help or finding.message)


def _value(finding: Finding) -> object:
    code = first_code(finding.message)
    return (finding.code[:4], finding.chain, finding.heat, code) if finding.chain and code.endswith(")") else None


def _words(finding: Finding) -> object:
    level = finding.fix.safety if finding.fix else None
    said = without_code(finding.help) if finding.heat is Heat.INNER else finding.sentence
    return (finding.code, finding.chain, finding.heat, level, said) if finding.chain else None


def _wait(finding: Finding) -> object:
    return (finding.chain, finding.heat) if finding.code.startswith(_WAITS) else None


def _name(finding: Finding) -> object:
    if not finding.code.startswith(_NAMES):
        return None
    name = first_code(finding.message).partition("(")[0]
    module = name.rpartition(".")[0]
    return finding.code, module if "." in module else name or finding.message


def _near(one: Finding, other: Finding) -> bool:
    return other.span.start_line - one.span.end_line <= _NEAR


def _inside(one: Finding, other: Finding) -> bool:
    """Whether the second, which begins no earlier, begins in the same line or ends inside of the first."""
    end = (one.span.end_line, one.span.end_column)
    begins = (other.span.start_line, other.span.start_column)
    same_line = other.span.start_line == one.span.start_line
    return same_line or (begins < end and (other.span.end_line, other.span.end_column) <= end)


def _always(one: Finding, other: Finding) -> bool:
    return True


_JOINS: Mapping[Reason, tuple[Callable[[Finding], object], Callable[[Finding, Finding], bool]]] = {
    Reason.SIDE_BY_SIDE: (_advice, _near),
    Reason.ONE_VALUE: (_value, _always),
    Reason.ONE_LOOP: (_words, _always),
    Reason.ONE_STATEMENT: (_wait, _inside),
    Reason.ONE_NAME: (_name, _always),
}
"""For each reason: what findings of one file must have in common, None for those that it says nothing of, and what
must hold of two that follow each other among these."""


def lines_of(findings: Sequence[Finding]) -> list[int]:
    """The lines at which findings begin, each once."""
    return sorted({finding.span.start_line for finding in findings})
