"""What several ranks of one training say together: a typical one, and the one that the others wait for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from trainlint.evidence.run import Phase, Run
from trainlint.symptoms import Symptom
from trainlint_probe.wording import units

LATE = 0.1
"""A rank is named as straggler where its own work exceeds the others' by this share of the step."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The mean step of one rank, in milliseconds."""

    rank: int
    step_ms: float
    phases: Mapping[Phase, float]
    waiting_ms: float
    """Backward, where gradients are exchanged, and calls of collectives: a rank that is early waits in there."""
    own_ms: float
    """All the rest: what the rank does by itself."""


@dataclass(frozen=True, slots=True)
class Straggler:
    """The rank that the others wait for."""

    rank: int
    late_ms: float
    """By so much its own work exceeds the median of the others, per step: the most that could be gained."""
    surely_ms: float
    """By so much it exceeds that of each other, and each other waits longer: the step surely gets shorter by this if
    the rank works no longer than the next slowest."""
    sentence: str
    """All that, and in which phase most of it is."""


@dataclass(frozen=True, slots=True)
class RankComparison:
    """Some ranks of one training."""

    typical: Run
    """The run of the rank whose mean step is the median: one that was really seen, so that its parts add up."""
    ranks: tuple[Rank, ...]
    """Those that saw a step."""
    straggler: Straggler | None
    missing: tuple[int, ...]
    """Ranks that left no evidence."""


def compare_ranks(runs: Sequence[Run]) -> RankComparison:
    """Lay the runs of all ranks side by side.

    Raises:
        ValueError: there is none.
    """
    if not runs:
        raise ValueError("There is no evidence of any rank.")
    ranks = tuple(_rank(run) for run in runs if run.steps)
    return RankComparison(
        typical=_typical(runs, ranks),
        ranks=ranks,
        straggler=_straggler(ranks),
        missing=tuple(sorted(set(range(max(run.world_size for run in runs))) - {run.rank for run in runs})),
    )


def _rank(run: Run) -> Rank:
    steps = len(run.steps)
    phases = {
        phase: sum(step.phases.get(phase, 0.0) for step in run.steps) / steps
        for phase in Phase
        if any(phase in step.phases for step in run.steps)
    }
    step_ms = mean(step.ms for step in run.steps)
    collectives = sum(item.host_ms or 0.0 for item in run.seen if item.symptom is Symptom.COLLECTIVE) / steps
    waiting = phases.get(Phase.BACKWARD, 0.0) + collectives
    return Rank(run.rank, step_ms, phases, waiting, step_ms - waiting)


def _typical(runs: Sequence[Run], ranks: Sequence[Rank]) -> Run:
    if not ranks:
        return runs[0]
    middle = sorted(ranks, key=lambda rank: rank.step_ms)[(len(ranks) - 1) // 2]
    return next(run for run in runs if run.rank == middle.rank)


def _straggler(ranks: Sequence[Rank]) -> Straggler | None:
    """The rank that works most by itself, if it also waits least and the difference matters."""
    if len(ranks) < 2:
        return None
    slow = max(ranks, key=lambda rank: rank.own_ms)
    others = [rank for rank in ranks if rank is not slow]
    late = slow.own_ms - median(rank.own_ms for rank in others)
    if slow.waiting_ms > min(rank.waiting_ms for rank in others) or late < LATE * slow.step_ms:
        return None
    own = [phase for phase in slow.phases if phase is not Phase.BACKWARD]
    phase = max(own, key=lambda phase: slow.phases[phase] - median(rank.phases.get(phase, 0.0) for rank in others))
    surely = min(
        slow.own_ms - max(rank.own_ms for rank in others), min(rank.waiting_ms for rank in others) - slow.waiting_ms
    )
    return Straggler(
        slow.rank,
        late,
        max(surely, 0.0),
        f"Rank {slow.rank} delays the others: it works {units.duration(late)} longer in each step of "
        f"{units.duration(slow.step_ms)}, mostly in {phase.value}, and waits least for the others.",
    )
