"""What a run shows to be wrong by itself, without a trace: plain data, sorted by what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Alive, Memory, Phase, Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.costly_calls import costly_calls
from trainlint_probe.judgement.growth import growth
from trainlint_probe.judgement.overlap import overlap
from trainlint_probe.judgement.ranks import RankComparison
from trainlint_probe.judgement.verdicts import settings_of
from trainlint_probe.traces.judge import FRAGMENTED, STARVED, RuntimeFinding, finding
from trainlint_probe.traces.places import Source
from trainlint_probe.wording import units


def judge_run(run: Run) -> list[RuntimeFinding]:
    """What one process of a training shows to be wrong, the most expensive first."""
    if not run.steps:
        return []
    if run.simulated is not None:  # its times and its memory are not a GPU's
        return list(_compilation(run))
    found = [*_starvation(run), *_memory(run), *_compilation(run), *_switches(run), *costly_calls(run)]
    return sorted(found, key=lambda item: -(item.cost.high if item.cost else 0.0))


def judge_together(ranks: RankComparison) -> list[RuntimeFinding]:
    """What several processes of one training show only together."""
    late = ranks.straggler
    if late is None:
        return []
    step = fmean(rank.step_ms for rank in ranks.ranks)
    cost = Interval(min(late.surely_ms, late.late_ms), late.late_ms)
    return [finding("straggling-rank", late.sentence, cost, step)]


def _starvation(run: Run) -> Iterator[RuntimeFinding]:
    step = fmean(item.ms for item in run.steps)
    wait = fmean(item.phases.get(Phase.DATA_WAIT, 0.0) for item in run.steps)
    if wait < STARVED * step:
        return
    worst = max(run.loaders, key=lambda loader: loader.wait_ms, default=None)
    sentence = f"The step waits {units.part(wait, step)} ({wait / step:.1%}) for its batch"
    gain = Interval(0.0, wait)
    if worst is not None:
        own = [loader for loader in run.loaders if loader.settings.get("num_workers") == "0"]
        gain = Interval(overlap(run, own).gain.low if own else 0.0, wait)
        sentence += f", most of it for the loader with {settings_of(worst)}"
        if worst.handover_ms is not None:
            sentence += f"; {overlap(run, [worst]).limit}"
    at = worst.made_at or worst.drawn_at if worst is not None else None
    yield finding("loader-starvation", f"{sentence}.", gain, step, _source(at))


def _memory(run: Run) -> Iterator[RuntimeFinding]:
    marks = [step.memory for step in run.steps if step.memory is not None]
    if len(marks) < 2:
        return
    yield from _growth(run)
    if retries := _added(marks, lambda mark: mark.retries):
        yield _without_cost(
            "allocation-retries",
            f"Memory is almost full: the allocator found no room {retries} times in {len(marks)} steps, "
            "returned its cache to the driver and asked again. The CPU waits for the GPU each time.",
        )
    allocations = _added(marks, lambda mark: mark.device_allocations)
    frees = _added(marks, lambda mark: mark.device_frees)
    if allocations and frees:
        emptied = next((item for item in run.seen if item.symptom is Symptom.CACHE_EMPTIED), None)
        why = f"; {emptied.what} gives it back" if emptied else ""
        yield _without_cost(
            "allocator-churn",
            f"Steps returned GPU memory to the driver {frees} times and asked for it again {allocations} "
            f"times in {len(marks)} steps{why}: each of these waits for the device.",
            emptied.at if emptied else None,
        )
    yield from _holes(marks[-1])


def _growth(run: Run) -> Iterator[RuntimeFinding]:
    amounts = [(number, step.memory.allocated) for number, step in enumerate(run.steps) if step.memory is not None]
    slope = growth(amounts)
    if slope is None:
        return
    more, at_last = f"{units.size(slope)} more after each step", f"{units.size(amounts[-1][1])} at last"
    remembered = _graph_growth(run.alive)
    kept = _keeper_text(run) or "something keeps losses or outputs with their graphs"
    at = next((item.at for item in run.seen if item.symptom is Symptom.GRAPH_KEPT), None)
    graphs = f", and autograd remembers {remembered:.0f} more operations" if remembered else ""
    if run.device == "cpu":
        # Much else lies in the heap: what oneDNN compiles for each shape of a batch, samples that a dataset caches.
        if graphs:
            yield _without_cost(
                "memory-grows",
                f"The process holds {more} ({at_last}){graphs}: {kept}.",
                at,
            )
    elif _outlasts_collection(run.alive):
        yield _without_cost(
            "memory-grows",
            f"Tensors hold {more}, {at_last}{graphs}: "
            f"{_keeper_text(run) or 'something keeps what steps make, as a list of losses with their graphs does'}.",
            at,
        )


def _keeper_text(run: Run) -> str:
    """What keeps them, and at which line; empty where that was not found."""
    kept = next((item for item in run.seen if item.symptom is Symptom.GRAPH_KEPT), None)
    return f"this line keeps what a step makes, with its graph, in {kept.what}" if kept is not None else ""


def _graph_growth(alive: Sequence[Alive]) -> float | None:
    """How many operations more autograd remembers after each step; None where not after each, or that is not known."""
    nodes = [item.graph_nodes for item in alive]
    if len(nodes) < 2 or not all(late > early for early, late in pairwise(nodes)):
        return None
    return (nodes[-1] - nodes[0]) / (len(nodes) - 1)


def _outlasts_collection(alive: Sequence[Alive]) -> bool:
    """Whether memory goes on to grow once Python's garbage is collected. Where nobody looked, growth is believed."""
    held = [item.memory.allocated for item in alive if item.memory is not None]
    return len(held) < 2 or held[-1] > held[0]


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
    again: dict[Line, list[Seen]] = {}
    for item in run.seen:
        if item.symptom is Symptom.GRAPH_BREAK:
            sentence = f"{item.what} breaks the compiled graph here {_times(item.calls)}{_reason([item])}."
            yield _without_cost("graph-breaks", sentence, item.at)
        elif item.symptom is Symptom.RECOMPILE:
            again.setdefault(item.at, []).append(item)
    for at, items in again.items():
        calls = sum(item.calls for item in items)
        late = sum(int(item.details.get("in the window", item.calls)) for item in items)
        limit = next((item.details["limit"] for item in items if "limit" in item.details), None)
        if late or limit is not None:  # else it has cost the start its time, and the steps none
            given_up = f"after which torch.compile gave up (its limit is {limit}) and the function runs uncompiled"
            when = given_up if limit is not None else f"{_times(late)} in the steps"
            sentence = f"{items[0].what} has compiled this again {_times(calls)}, {when}{_reason(items)}."
            yield _without_cost("recompiles-in-steps", sentence, at)


def _switches(run: Run) -> Iterator[RuntimeFinding]:
    for item in run.seen:
        if item.symptom is Symptom.SLOW_SWITCH:
            # That it is on is the defect, whatever it costs.
            sentence = f"{item.what} is on {_times(item.calls)} in {len(run.steps)} steps."
            yield _without_cost("run-wide-switch", sentence, item.at)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _reason(items: Sequence[Seen]) -> str:
    """Why, by the first of them that tells, and how many other reasons there are."""
    reasons = list(dict.fromkeys(item.details["reason"] for item in items if item.details.get("reason")))
    if not reasons:
        return ""
    return f": {reasons[0]}" + (f" ({len(reasons) - 1} more such reasons)" if len(reasons) > 1 else "")


def _added(marks: Sequence[Memory], counter: Callable[[Memory], int | None]) -> int | None:
    """By how much a counter rose over the steps; None where it is not known."""
    first, last = counter(marks[0]), counter(marks[-1])
    return last - first if first is not None and last is not None else None


def _without_cost(name: str, sentence: str, at: Line | None = None) -> RuntimeFinding:
    return RuntimeFinding(name, sentence, None, None, _source(at))


def _source(at: Line | None) -> Source | None:
    return Source(at.path, at.line) if at is not None else None
