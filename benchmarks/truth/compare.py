"""Lines that wait or copy by a run, against the findings of `trainlint check` on the same files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from benchmarks.truth.record import STEP, Event, Record
from trainlint.analysis.tables.waits.operators import OPERATORS

IN_EACH_STEP = 0.8
"""A line that does it in this share of the steps does it in each step."""
FEWEST_STEPS = 5
"""A run with fewer says nothing of how often."""
_CHECKED = frozenset(row.name.partition(".")[0] for row in OPERATORS)
"""Operators of which the table of waits says, by PyTorch's sources, under which circumstances they wait."""


class Found(Enum):
    """Whether trainlint names a line."""

    BY_DEFAULT = "by default"
    AT_ANY_LEVEL = "at any level"
    NOT = "not"


class Outcome(Enum):
    """What the run says of a default finding on a line that ran."""

    CONFIRMED = "confirmed"
    RARER = "rarer"
    """It happens, in fewer steps."""
    REFUTED = "refuted"
    """It never happens, and the operators of the line are known not to wait."""
    UNDECIDED = "undecided"
    """It was not seen to happen, by operators of which nobody has looked up whether they wait."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding, as far as it is compared."""

    path: str
    first: int
    """The first and the last line of its statement."""
    last: int
    code: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class TrueLine:
    """A line that waits or copies in each step."""

    path: str
    line: int
    kind: str
    """Of its most frequent event."""
    what: str
    per_step: float
    """Events a unit."""
    found: Found
    codes: tuple[str, ...]
    unit: str = STEP
    """STEP or ENVIRONMENT_STEP."""
    reason: str = ""
    """Why no default finding names it; empty where one does, and where nobody asked."""


@dataclass(frozen=True, slots=True)
class JudgedFlag:
    """A default finding on a line that ran."""

    flag: Flag
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TrueFact:
    """A line at which something else holds that rules speak of."""

    symptom: str
    path: str
    line: int
    found: Found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of one library."""

    lines: tuple[TrueLine, ...]
    judged: tuple[JudgedFlag, ...]
    facts: tuple[TrueFact, ...] = ()
    growth: int = 0
    """Bytes by which memory grows in each step."""


def compare(records: Sequence[Record], flags: Sequence[Flag], codes: frozenset[str]) -> Comparison:
    """Compare the runs of a library with the findings in it.

    Args:
        records: its runs; those with fewer than FEWEST_STEPS steps are left out.
        flags: findings at every level.
        codes: the rules whose findings say that a line waits or copies in each step.
    """
    speaking = [flag for flag in flags if flag.code in codes]
    by_path: dict[str, list[Flag]] = defaultdict(list)
    for flag in speaking:
        by_path[flag.path].append(flag)
    seen = _Seen()
    for record in records:
        if record.steps >= FEWEST_STEPS:
            seen.add(record)
    lines = tuple(_line(place, *steady, by_path[place.path]) for place, steady in sorted(seen.steady.items()))
    judged = (_judged(flag, seen) for flag in speaking if flag.is_default)
    return Comparison(lines, tuple(item for item in judged if item is not None))


def explained(found: Comparison, reasons: Mapping[tuple[str, int], str]) -> Comparison:
    """The same with the reason of each line that no default finding names, where there is one."""
    lines = [replace(line, reason=reasons.get((line.path, line.line), "")) for line in found.lines]
    return replace(found, lines=tuple(lines))


def missed(found: Comparison) -> tuple[tuple[str, int], ...]:
    """The places of the lines that no default finding names."""
    return tuple((line.path, line.line) for line in found.lines if line.found is not Found.BY_DEFAULT)


class _At(NamedTuple):
    path: str
    line: int
    unit: str


@dataclass(slots=True)
class _Seen:
    """What all runs of a library showed."""

    share: dict[tuple[str, int], float] = field(default_factory=dict)
    """Line → the largest share of steps, of one unit or the other, in which it waits or copies."""
    steady: dict[_At, tuple[float, Event]] = field(default_factory=dict)
    """Line that does so in each step → how often a step, and its most frequent event, of the run with the most."""
    executed: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    unchecked: set[tuple[str, int]] = field(default_factory=set)
    """Lines that gave the device work of which nobody has looked up whether it waits."""
    is_blind: bool = False
    """Whether a run says nothing of what was given to the device."""

    def add(self, record: Record) -> None:
        """Add one run."""
        for path, lines in record.executed.items():
            self.executed[path].update(lines)
        self.is_blind |= record.queued is None
        at = ((each.path, each.line) for each in record.queued or () if not {*each.operators} <= _CHECKED)
        self.unchecked.update(at)
        for place, events in _by_line(record.events).items():
            share = len(set().union(*(event.steps for event in events))) / record.steps
            self.share[place] = max(self.share.get(place, 0.0), share)
            per_step = sum(event.count for event in events) / record.steps
            at = _At(*place, record.unit)
            if share >= IN_EACH_STEP and (at not in self.steady or per_step > self.steady[at][0]):
                self.steady[at] = (per_step, max(events, key=lambda event: event.count))


def _by_line(events: Iterable[Event]) -> Mapping[tuple[str, int], list[Event]]:
    """What holds the host up, or copies, outside of the backward pass, by line."""
    found: dict[tuple[str, int], list[Event]] = defaultdict(list)
    for event in events:
        if not event.in_backward and event.kind != "collective":
            found[event.path, event.line].append(event)
    return found


def _line(place: _At, per_step: float, event: Event, flags: Sequence[Flag]) -> TrueLine:
    path, line, unit = place
    codes = tuple(sorted({flag.code for flag in _at(path, line, flags)}))
    return TrueLine(path, line, event.kind, event.what, per_step, found_by(path, line, flags), codes, unit)


def found_by(path: str, line: int, flags: Iterable[Flag]) -> Found:
    """Whether some findings name a line."""
    at = _at(path, line, flags)
    if not at:
        return Found.NOT
    return Found.BY_DEFAULT if any(flag.is_default for flag in at) else Found.AT_ANY_LEVEL


def _at(path: str, line: int, flags: Iterable[Flag]) -> list[Flag]:
    return [flag for flag in flags if flag.path == path and flag.first <= line <= flag.last]


def _judged(flag: Flag, seen: _Seen) -> JudgedFlag | None:
    """None where the line did not run."""
    lines = range(flag.first, flag.last + 1)
    if seen.executed.get(flag.path, set()).isdisjoint(lines):
        return None
    most = max(seen.share.get((flag.path, line), 0.0) for line in lines)
    if most:
        return JudgedFlag(flag, Outcome.CONFIRMED if most >= IN_EACH_STEP else Outcome.RARER)
    is_known = not seen.is_blind and seen.unchecked.isdisjoint((flag.path, line) for line in lines)
    return JudgedFlag(flag, Outcome.REFUTED if is_known else Outcome.UNDECIDED)
