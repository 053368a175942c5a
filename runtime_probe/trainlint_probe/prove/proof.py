"""What two runs come to: figures, lines, and the sentence for the commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import quantiles

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run
from trainlint.evidence.simulation import DeviceEvent, Simulated
from trainlint.symptoms import Symptom
from trainlint_probe.prove.changed_lines import Difference
from trainlint_probe.prove.result import Answer, Figure, LineChange, Proof, Training
from trainlint_probe.wording.units import size, span

_NOTICEABLE = 0.01
"""A share of the peak of memory, or of the time of a step, below which a change makes nothing worse."""
_LEAST_BYTES = 1_000_000
"""So much more memory makes nothing worse: a loss that is kept for later takes 512 bytes."""


def proof(
    names: tuple[str, str], runs: tuple[Run, Run], training: Training, differs: Difference, notes: Sequence[str]
) -> Proof:
    """What is shown by a run before a change and one after it, that of the first rank of each."""
    before, after = runs
    counted = figures(before, after)
    times = step_time(before), step_time(after)
    lines = _line_changes(before, after, differs)
    worse = _worse(counted, runs, times)
    on = device_of(before)
    return Proof(
        before=names[0],
        after=names[1],
        device=on,
        steps=len(after.steps),
        training=training,
        figures=counted,
        step_ms_before=times[0],
        step_ms_after=times[1],
        lines=lines,
        worse=worse,
        notes=tuple(notes),
        message=_message(counted, times, training, on),
    )


def device_of(run: Run) -> str:
    """What a run ran on, in words."""
    return f"simulated {run.simulated.gpu}" if run.simulated is not None else run.device


def figures(before: Run, after: Run) -> tuple[Figure, ...]:
    """The counts of a step of both."""
    one, other = _counts(before), _counts(after)
    return tuple(Figure(name, unit, one[name], other[name]) for name, unit in _UNITS.items())


_WAITS, _BLOCKING, _COPIES = "waits", "blocking copies", "other copies"
_BYTES, _LAUNCHES, _PEAK = "copied", "launches", "peak memory"
_UNITS = {
    _WAITS: "a step",
    _BLOCKING: "a step",
    _COPIES: "a step",
    _BYTES: "bytes a step",
    _LAUNCHES: "a step",
    _PEAK: "bytes",
}


def _counts(run: Run) -> Mapping[str, float | None]:
    found: dict[str, float | None] = dict.fromkeys(_UNITS)
    steps = len(run.steps)
    if not steps:
        return found
    if run.simulated is not None:
        found |= _simulated_counts(run.simulated, steps)
    elif run.device == "cuda":
        waits = (seen for seen in run.seen if seen.symptom is Symptom.HOST_SYNC and seen.device == "cuda")
        found[_WAITS] = sum(seen.calls for seen in waits) / steps
        memory = run.steps[-1].memory
        found[_PEAK] = float(memory.peak) if memory is not None and memory.peak is not None else None
    return found


def _simulated_counts(simulated: Simulated, steps: int) -> dict[str, float | None]:
    copies = [event for event in simulated.events if event.kind == "copy"]
    return {
        _WAITS: sum(event.count for event in simulated.events if event.kind == "wait") / steps,
        _BLOCKING: sum(event.count for event in copies if event.blocking) / steps,
        _COPIES: sum(event.count for event in copies if not event.blocking) / steps,
        _BYTES: sum(event.bytes for event in copies) / steps,
        _LAUNCHES: simulated.launches,
        _PEAK: float(sum(simulated.peak)),
    }


def step_time(run: Run) -> Interval | None:
    """What a step takes: by the model where the GPU is simulated, else the quartiles of the measured steps."""
    if run.simulated is not None:
        return run.simulated.step_ms
    if run.device == "cpu" or len(run.steps) < 2:
        return None
    low, _, high = quantiles([step.ms for step in run.steps], n=4)
    return Interval(low, high)


def _line_changes(before: Run, after: Run, differs: Difference) -> tuple[LineChange, ...]:
    """The waits and copies of each line that are not the same, the largest change first."""
    if before.simulated is None or after.simulated is None or not before.steps or not after.steps:
        return ()
    counts: tuple[Counter[tuple[str, int, str, str, str]], ...] = (Counter(), Counter())
    for counted, simulated, version in zip(
        counts, (before.simulated, after.simulated), ("before", "after"), strict=True
    ):
        for event in simulated.events:
            line = differs.number(event.path, event.line, before=version == "before")
            only = version if line is None else ""
            key = (event.path, event.line if line is None else line, only, *_what(event))
            counted[key] += event.count
    steps = len(before.steps), len(after.steps)
    changes = [
        LineChange(Line(path, line), what, kind, counts[0][key] / steps[0], counts[1][key] / steps[1], only)
        for key in counts[0].keys() | counts[1].keys()
        for path, line, only, kind, what in [key]
    ]
    return tuple(
        sorted(
            (change for change in changes if change.before != change.after),
            key=lambda change: (-abs(change.before - change.after), change.at, change.what),
        )
    )


def _what(event: DeviceEvent) -> tuple[str, str]:
    what = f"{event.what} ({event.direction})" if event.direction else event.what
    if event.kind == "copy":
        what = f"{what}, {'blocking' if event.blocking else 'non-blocking'}"
    return event.kind, what


def _worse(
    counted: Sequence[Figure], runs: tuple[Run, Run], times: tuple[Interval | None, Interval | None]
) -> tuple[str, ...]:
    by_name = {figure.name: figure for figure in counted}
    found = []
    standing = [by_name[_WAITS], by_name[_BLOCKING]]
    old, new = (
        sum(value for figure in standing if (value := getattr(figure, side)) is not None)
        for side in ("before", "after")
    )
    if new > old:
        found.append(f"the CPU waits {_number(new)} times a step instead of {_number(old)}, blocking copies included")
    peak = by_name[_PEAK]
    if peak.before is not None and peak.after is not None:
        more = peak.after - peak.before
        if more > max(_LEAST_BYTES, _NOTICEABLE * peak.before):
            found.append(f"the peak of memory grows from {size(peak.before)} to {size(peak.after)}")
    if _is_slower(runs, times):
        assert times[0] is not None, "slower than nothing is not said"
        assert times[1] is not None, "likewise"
        found.append(f"a step takes {span(times[1])} instead of {span(times[0])}")
    return tuple(found)


def _is_slower(runs: tuple[Run, Run], times: tuple[Interval | None, Interval | None]) -> bool:
    """Whether a step is slower whatever the host's pace and the device's, or by more than measured steps differ."""
    one, other = runs[0].simulated, runs[1].simulated
    if one is not None and other is not None:
        pairs = list(zip(one.corners_ms, other.corners_ms, strict=False))
        return bool(pairs) and all(new > (1 + _NOTICEABLE) * old for old, new in pairs)
    return times[0] is not None and times[1] is not None and times[1].low > (1 + _NOTICEABLE) * times[0].high


def _message(
    counted: Sequence[Figure], times: tuple[Interval | None, Interval | None], training: Training, device: str
) -> str:
    """One line for a commit message."""
    changed = [
        figure for figure in counted if figure.before != figure.after and None not in (figure.before, figure.after)
    ]
    parts = [f"{figure.name} {shown(figure, figure.before)} → {shown(figure, figure.after)}" for figure in changed]
    known = [figure for figure in counted if figure.before is not None]
    if not parts:
        parts = ["counts of a step unchanged" if known else "waits and copies not counted"]
    if times[0] is not None and times[1] is not None and times[0] != times[1]:
        parts.append(f"a step {span(times[0])} → {span(times[1])}")
    computed = {
        Answer.SAME: f"losses and parameters bit-identical over {training.steps} steps",
        Answer.CHANGED: f"training changed: {training.sentence}",
        Answer.UNKNOWN: f"not known whether the training is the same: {training.sentence}",
    }
    return f"trainlint prove ({device}): {', '.join(parts)}; {computed[training.answer]}"


def shown(figure: Figure, value: float | None) -> str:
    """A figure for people: "3", "1.5", "12.3 MB", "unknown"."""
    if value is None:
        return "unknown"
    return size(value) if figure.unit.startswith("bytes") else _number(value)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
