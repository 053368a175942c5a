"""What a run shows to be wrong by itself, without a trace: plain data, sorted by what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import ceil
from statistics import fmean, median

from trainlint.evidence import Interval, Line, Loader, Memory, Phase, Run, Symptom
from trainlint_probe.ranks import Together
from trainlint_probe.traces.judge import FRAGMENTED, STARVED, RuntimeFinding
from trainlint_probe.traces.places import Source
from trainlint_probe.verdicts import settings_of

_FEWEST_STEPS = 10
"""Steps from which memory's growth is judged: before, a cache that fills looks like a leak."""
_GROWING = 0.8
"""The share of pairs of steps in which memory must have grown: noise grows in half of them."""
_LEAST_GROWTH = 1024
"""Bytes a step. Counters that the script itself keeps, one number a step, are no leak that ends a training."""


def judge_run(run: Run) -> list[RuntimeFinding]:
    """What one process of a training shows to be wrong, the most expensive first."""
    if not run.steps:
        return []
    found = [*_starvation(run), *_memory(run), *_compilation(run)]
    return sorted(found, key=lambda item: -(item.cost.high if item.cost else 0.0))


def judge_together(ranks: Together) -> list[RuntimeFinding]:
    """What several processes of one training show only together."""
    late = ranks.straggler
    if late is None:
        return []
    step = fmean(rank.step_ms for rank in ranks.ranks)
    cost = Interval(0.0, late.late_ms)
    return [RuntimeFinding("straggling-rank", late.sentence, cost, Interval(0.0, late.late_ms / step))]


def _starvation(run: Run) -> Iterator[RuntimeFinding]:
    step = fmean(item.ms for item in run.steps)
    wait = fmean(item.phases.get(Phase.DATA_WAIT, 0.0) for item in run.steps)
    if wait < STARVED * step:
        return
    worst = max(run.loaders, key=lambda loader: loader.wait_ms, default=None)
    sentence = f"The step waits {wait:.1f} ms of {step:.1f} ms ({wait / step:.1%}) for its batch"
    if worst is not None:
        sentence += f", most of it for the loader with {settings_of(worst)}{_workers(worst, step - wait)}"
    at = worst.made_at or worst.drawn_at if worst is not None else None
    # The wait is the most that a faster loader could gain: the batch must be handed over in any case.
    yield RuntimeFinding(
        "loader-starvation", f"{sentence}.", Interval(wait, wait), Interval(wait / step, wait / step), _source(at)
    )


def _workers(loader: Loader, rest_ms: float) -> str:
    """How many workers would be ahead of the step, where the training itself loads its batches."""
    if loader.settings.get("num_workers") != "0" or rest_ms <= 0 or not loader.batches:
        return ""
    enough = ceil(loader.wait_ms / loader.batches / rest_ms)
    return f"; {enough} worker{'s' * (enough > 1)} or more would be ahead of it"


def _memory(run: Run) -> Iterator[RuntimeFinding]:
    marks = [step.memory for step in run.steps if step.memory is not None]
    if len(marks) < 2:
        return
    yield from _growth(marks)
    if retries := _added(marks, lambda mark: mark.retries):
        yield _without_cost(
            "allocation-retries",
            f"The allocator found no room {retries} times in {len(marks)} steps, gave its whole cache back to the "
            "driver and asked again, for which the host waits for the device each time: memory is all but full.",
        )
    allocations = _added(marks, lambda mark: mark.device_allocations)
    frees = _added(marks, lambda mark: mark.device_frees)
    if allocations and frees:
        emptied = next((item for item in run.seen if item.symptom is Symptom.CACHE_EMPTIED), None)
        why = f"; {emptied.what} gives it back" if emptied else ""
        yield _without_cost(
            "allocator-churn",
            f"Device memory was given back to the driver {frees} times and asked for again {allocations} times in "
            f"{len(marks)} steps{why}: each of these waits for the device.",
            emptied.at if emptied else None,
        )
    yield from _holes(marks[-1])


def _growth(marks: Sequence[Memory]) -> Iterator[RuntimeFinding]:
    """The median of the slopes between all pairs of steps, which single steps do not move (Theil, 1950; Sen, 1968)."""
    if len(marks) < _FEWEST_STEPS:
        return
    pairs = list(combinations(enumerate(mark.allocated for mark in marks), 2))
    slope = median((late - early) / (there - here) for (here, early), (there, late) in pairs)
    growing = sum(late > early for (_, early), (_, late) in pairs) / len(pairs)
    if slope >= _LEAST_GROWTH and growing >= _GROWING:
        yield _without_cost(
            "memory-grows",
            f"Tensors hold {slope / 1024:.1f} KiB more after each step, {marks[-1].allocated / 2**20:.1f} MiB at last: "
            "something keeps what steps make, as a list of losses with their graphs does.",
        )


def _holes(mark: Memory) -> Iterator[RuntimeFinding]:
    if mark.inactive_split is None or not mark.reserved:
        return
    share = mark.inactive_split / mark.reserved
    if share >= FRAGMENTED:
        yield _without_cost(
            "memory-fragmented",
            f"{share:.0%} of the reserved memory ({mark.inactive_split / 2**30:.2f} GiB of {mark.reserved / 2**30:.2f} "
            "GiB) are holes between tensors, and large tensors may not fit into them.",
        )


def _compilation(run: Run) -> Iterator[RuntimeFinding]:
    for symptom, name, what in (
        (Symptom.GRAPH_BREAK, "graph-breaks", "breaks the compiled graph here"),
        (Symptom.RECOMPILE, "recompiles-in-steps", "is compiled again in the steps"),
    ):
        for item in run.seen:
            if item.symptom is symptom:
                reason = f": {item.details['reason']}" if item.details.get("reason") else ""
                times = "once" if item.calls == 1 else f"{item.calls} times"
                yield _without_cost(name, f"{item.what} {what} {times}{reason}.", item.at)


def _added(marks: Sequence[Memory], counter: Callable[[Memory], int | None]) -> int | None:
    """By how much a counter rose over the steps; None where it is not known."""
    first, last = counter(marks[0]), counter(marks[-1])
    return last - first if first is not None and last is not None else None


def _without_cost(name: str, sentence: str, at: Line | None = None) -> RuntimeFinding:
    return RuntimeFinding(name, sentence, None, None, _source(at))


def _source(at: Line | None) -> Source | None:
    return Source(at.path, at.line) if at is not None else None
