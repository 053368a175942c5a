"""What a run on simulated GPUs says of findings: how often each step waits or copies at a line, and its price."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Called, Line
from trainlint.evidence.run import Run
from trainlint.evidence.simulation import DeviceEvent, Simulated
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.verdicts import verdict_on
from trainlint_probe.wording import units

WAITS = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE, Symptom.CACHE_EMPTIED})
"""What a simulated device shows."""
NOT_SIMULATED = "a simulated GPU cannot show what this costs; a run on a GPU can"
NO_LOADER_TIMES = (
    "a simulated GPU cannot show what a loader costs; a run on a GPU can, and `--device cpu` measures how long the "
    "loader takes a step"
)
_DIRECTIONS = {"host to device": "to the GPU", "device to host": "from the GPU", "device to device": "between GPUs"}
_NOTHING_MS = 0.005
_BY_ITSELF = {True: ("TRNP201", "host-sync"), False: ("TRNP202", "pageable-copy")}
"""Whether the host stands still → what a wait or a copy without a finding in the code is called."""


def counted_verdict(finding: Finding, symptoms: Collection[Symptom], run: Run) -> Verdict:
    """What the run says of one finding in the code."""
    return replace(_verdict(finding, symptoms, run), basis="simulation")


def _verdict(finding: Finding, symptoms: Collection[Symptom], run: Run) -> Verdict:
    simulated = run.simulated
    assert simulated is not None, "other runs are judged by their times"
    steps = len(run.steps)
    if not steps:
        return verdict_on(finding, State.NOT_OBSERVED, "no step was seen")
    events = [event for event in simulated.events if _is_at(event, finding)]
    shown = [event for event in events if event.symptom in symptoms]
    if shown:
        lines = {Line(event.path, event.line) for event in shown}
        cost = gain_without(lines, simulated)
        said = verdict_on(finding, State.CONFIRMED, sentence(shown, steps) + price_words(cost, simulated))
        return replace(
            said, per_step=sum(event.count for event in shown) / steps, cost=cost, share=_share(cost, simulated)
        )
    if Symptom.GRAPH_BREAK in symptoms:
        return _of_compiling(finding, run, simulated)
    if Symptom.DATA_WAIT in symptoms:
        return verdict_on(finding, State.UNMEASURED, NO_LOADER_TIMES)
    if WAITS.isdisjoint(symptoms):
        return verdict_on(finding, State.UNMEASURED, NOT_SIMULATED)
    if not _has_run(finding, simulated):
        return verdict_on(finding, State.NOT_OBSERVED, f"the line was not reached in {steps} steps")
    return verdict_on(finding, State.REFUTED, f"never in {steps} steps: the line ran, and neither waited nor copied")


def _of_compiling(finding: Finding, run: Run, simulated: Simulated) -> Verdict:
    """What is said of a line that may break a graph of torch.compile."""
    lines = range(finding.span.start_line, finding.span.end_line + 1)
    reason = next(
        (
            item.details["reason"]
            for item in run.seen
            if item.symptom is Symptom.GRAPH_BREAK and item.at.path == finding.path and item.at.line in lines
        ),
        None,
    )
    if reason is not None:
        return verdict_on(finding, State.CONFIRMED, f"torch.compile breaks the graph here: {reason}")
    if simulated.breaks_unknown or not simulated.compiled:
        return verdict_on(finding, State.UNMEASURED, "whether it breaks a graph is not known")
    return verdict_on(finding, State.NOT_OBSERVED, "no compiled function broke its graph here")


def without_finding(run: Run, findings: Sequence[Finding]) -> tuple[Verdict, ...]:
    """The lines that wait or copy in most steps and of which no finding speaks, the most frequent first."""
    simulated, steps = run.simulated, len(run.steps)
    if simulated is None or not steps:
        return ()
    by_line: dict[Line, list[DeviceEvent]] = {}
    for event in simulated.events:
        if event.path and not any(_is_at(event, finding) for finding in findings) and holds_up(event):
            by_line.setdefault(Line(event.path, event.line), []).append(event)
    return tuple(
        Verdict(
            code=_BY_ITSELF[any(event.blocking for event in events)][0],
            name=_BY_ITSELF[any(event.blocking for event in events)][1],
            at=at,
            state=State.CONFIRMED,
            sentence=sentence(events, steps) + price_words(cost := gain_without({at}, simulated), simulated),
            cost=cost,
            share=_share(cost, simulated),
            per_step=sum(event.count for event in events) / steps,
            basis="simulation",
            message=_said(events[0]),
            new=True,
        )
        for at, events in by_line.items()
    )


def holds_up(event: DeviceEvent) -> bool:
    """Whether the host stands still for it, or copies memory that is not pinned."""
    return event.blocking or event.pageable


def sentence(events: Sequence[DeviceEvent], steps: int) -> str:
    """How often, and by what: "2 waits a step in 20 of 20 steps (Tensor.item)"."""
    count = sum(event.count for event in events)
    most = max(event.steps for event in events)
    names = dict.fromkeys(f"{event.what}{_through(event)}" for event in events)
    kinds = {"wait" if event.kind == "wait" else _copy(event) for event in events}
    word = kinds.pop() if len(kinds) == 1 else "wait or copy"
    number = f"{count / most:g}" if count % most == 0 else f"{count / most:.1f}"
    plural = word if number == "1" else _plural(word)
    when = "in each" if most == steps else f"in {most}"
    return f"{number} {plural} a step, {when} of {steps} steps ({', '.join(names)})"


def _through(event: DeviceEvent) -> str:
    """Where a library, or PyTorch's own Python code, does it in the line's name."""
    if event.chain and (event.chain[0].path, event.chain[0].line) != (event.path, event.line):
        return f" in {short_path(event.chain[0].path)}:{event.chain[0].line}"
    return f" in {event.inside}" if event.inside else ""


def short_path(path: str) -> str:
    """A path without the directory that packages are installed in."""
    return path.rpartition("site-packages/")[2]


def _copy(event: DeviceEvent) -> str:
    how = "blocking " if event.blocking else ""
    return f"{how}copy {_DIRECTIONS.get(event.direction, event.direction)}"


def _plural(word: str) -> str:
    return word.replace("copy", "copies", 1) if "copy" in word else f"{word}s"


def _said(event: DeviceEvent) -> str:
    if event.kind == "wait":
        return f"`{event.what}` makes the CPU wait for the GPU"
    return f"`{event.what}` copies from the {event.direction.replace(' to ', ' to the ')}"


def _is_at(event: DeviceEvent, finding: Finding) -> bool:
    """Whether the line of an event is among those of a finding, or is a further place of the same defect."""
    innermost = event.chain[0] if event.chain else Called(event.path, event.line, "")
    return any(
        place.path == finding.path and finding.span.start_line <= place.line <= finding.span.end_line
        for place in (event, innermost)
    ) or any((place.path, place.line) == (event.path, event.line) for place in finding.related)


def _has_run(finding: Finding, simulated: Simulated) -> bool:
    lines = simulated.executed.get(finding.path, ())
    return any(line in lines for line in range(finding.span.start_line, finding.span.end_line + 1))


def gain_without(lines: Set[Line], simulated: Simulated) -> Interval | None:
    """What a step would gain without the waits of some lines."""
    gains = [price.gain for price in simulated.prices if price.at in lines]
    return Interval(sum(gain.low for gain in gains), sum(gain.high for gain in gains)) if gains else None


def _share(cost: Interval | None, simulated: Simulated) -> Interval | None:
    step = simulated.step_ms
    if cost is None or step is None or not step.low:
        return None
    return Interval(cost.low / step.high, min(1.0, cost.high / step.low))


def price_words(cost: Interval | None, simulated: Simulated) -> str:
    """What a step would gain, as the end of a sentence; empty where that is not known."""
    if cost is None:
        return ""
    if cost.high < _NOTHING_MS:
        return "; it costs next to nothing there"
    return f"; without this, a step would be {units.span(cost)} shorter"
