"""What a run says of findings: each is confirmed, refuted, or neither, with what it costs a step and why.

A finding and what was seen meet at a line. What a rule's pattern shows itself by at run time is the rule's own to say
(`Rule.confirmed_by`): that a line ran proves nothing about its cost.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Loader, Run, Seen
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.overlap import overlap
from trainlint_probe.wording import units

THRESHOLD = 0.01
"""The share of a step from which a cost counts. Steps of one training differ by more than that as a rule, so less
could not be told from noise by running the training again."""

_SHOWN_BY_A_DEVICE = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})
"""What only CUDA tells: on a processor alone there is no device that could be waited for."""
NEEDS_A_GPU = "only a CUDA device tells what waits for it; `--device simulated` counts it without one"

_UPPER_BOUNDS = frozenset({Symptom.EVALUATION_WITH_GRADIENTS, Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})
"""What the host spends there is the most that could be saved: part of it is work that stays."""

SINCE_THE_START = frozenset(
    {
        Symptom.WARNING,
        Symptom.GRAPH_BREAK,
        Symptom.GRAPH_KEPT,
        Symptom.RECOMPILE,
        Symptom.TOO_MANY_WORKERS,
        Symptom.UNUSED_SEARCH_IN_VAIN,
        Symptom.GRADIENTS_KEPT_TWICE,
    }
)
"""What is noted whenever it happens, mostly before the measured steps."""
_OTHERWISE = {
    Symptom.BACKWARD_IN_AUTOCAST: Symptom.BACKWARD,
    Symptom.GRADIENTS_DROPPED: Symptom.GRADIENTS_CLEARED,
    Symptom.GRADIENTS_ZEROED: Symptom.GRADIENTS_CLEARED,
    Symptom.TOO_MANY_WORKERS: Symptom.RAN,
    Symptom.UNUSED_SEARCH_IN_VAIN: Symptom.RAN,
    Symptom.WORKERS_STARTED: Symptom.WORKERS_NOT_STARTED,
}
"""What is seen at a line that runs and does not what the rule speaks of: then the finding is refuted."""

_PROOFS = SINCE_THE_START | {
    Symptom.BACKWARD_IN_AUTOCAST,
    Symptom.COMPILE_CALL,
    Symptom.EVALUATED_IN_TRAINING_MODE,
    Symptom.GRADIENTS_DROPPED,
    Symptom.SLOW_SWITCH,
    Symptom.TRAINED_IN_EVALUATION_MODE,
}
"""What is the very thing that a rule speaks of: that it happens is the proof, whatever it costs."""

_CLEARINGS = frozenset({Symptom.GRADIENTS_CLEARED, Symptom.GRADIENTS_ZEROED})

_QUEUED = frozenset({Symptom.CLIPPING, Symptom.COLLECTIVE, Symptom.DEEP_COPY, Symptom.GRADIENTS_ZEROED})
"""What an accelerator is only asked for: the call returns before it is done."""

_DECISIVE = ("num_workers", "pin_memory", "batch_size")

BETWEEN_RUNS = 0.15
"""How far the time of the same call may lie apart in two runs, as a part of it. In five runs each on a virtual machine
with two cores, the mean time of a collection of 127 ms differed by 5%, and that of a checkpoint of 6 ms by 16%."""

WHOLE_TRACE = "the whole trace"
"""The clock of a run that is a trace without steps."""


def verdict(
    finding: Finding,
    symptoms: Collection[Symptom],
    run: Run,
    *,
    warned_as: str = "",
    in_part: bool = False,
) -> Verdict:
    """What a run says of one finding.

    Args:
        finding: to be judged.
        symptoms: what the rule's pattern shows itself by.
        run: what was seen.
        warned_as: a regular expression that is found in the warnings which are meant; any warning where empty.
        in_part: whether what the symptom costs is the most that the pattern may cost, and not all its own.
    """
    if not run.steps:
        return _not_observed(finding, "no step was seen")
    seen = [item for item in run.seen if _stands_at(item.at, finding)]
    loaders = [item for item in run.loaders if _is_of(item, finding)]
    if loaders and Symptom.DATA_WAIT in symptoms:
        return _of_loaders(finding, loaders, run)
    ran = any(item.symptom not in SINCE_THE_START for item in seen)
    if not symptoms:
        return _not_observed(finding, "the probe has no way to measure this", ran=ran or bool(seen))
    shown = _symptoms_of_pattern(seen, symptoms, warned_as)
    if not shown:
        return _of_nothing(finding, symptoms, seen, run, ran=ran)
    return _of_calls(finding, shown, run, in_part=in_part)


def _symptoms_of_pattern(seen: Sequence[Seen], symptoms: Collection[Symptom], warned_as: str) -> list[Seen]:
    """What of the things seen at a line is a symptom of the pattern."""
    found = [item for item in seen if item.symptom in symptoms and _is_meant(item, warned_as)]
    return [item for item in found if _is_common(item, seen)]


def _of_loaders(finding: Finding, loaders: Sequence[Loader], run: Run) -> Verdict:
    known = overlap(run, loaders)
    return _judged(
        finding,
        known.gain,
        run,
        basis="timer",
        per_step=sum(loader.batches for loader in loaders) / len(run.steps),
        reason=f"{known.sentence} ({settings_of(loaders[0])}); {_gain_text(known.gain)}",
    )


def _of_nothing(
    finding: Finding, symptoms: Collection[Symptom], seen: Sequence[Seen], run: Run, *, ran: bool
) -> Verdict:
    """Refuted where the line runs, and something happens there in place of what the rule speaks of."""
    if run.device != "cuda" and symptoms and _SHOWN_BY_A_DEVICE.issuperset(symptoms):
        return _not_observed(finding, NEEDS_A_GPU, ran=ran)
    window = WHOLE_TRACE if _is_whole(run) else f"{len(run.steps)} steps"
    nothing = f"no {_joined_by_or(symptoms)} was seen at this line in {window}"
    otherwise = {_OTHERWISE.get(symptom) for symptom in symptoms}
    instead = dict.fromkeys(item.what for item in seen if item.symptom in otherwise)
    if not instead and ran:
        return _not_observed(finding, f"the line ran, and {nothing}: what it costs there cannot be measured", ran=True)
    if not instead:
        return _not_observed(finding, nothing)
    found = verdict_on(finding, State.REFUTED, f"{' and '.join(instead)} ran here, and {nothing}")
    return replace(found, basis="counter")


def _of_calls(finding: Finding, shown: Sequence[Seen], run: Run, *, in_part: bool) -> Verdict:
    # What a library does on behalf of a call that is counted itself is part of that call.
    shown = [item for item in shown if item.direct] or shown
    proofs = [item for item in shown if item.symptom in _PROOFS]
    if proofs:
        return _proved(finding, proofs, run)
    steps = len(run.steps)
    per_step = sum(item.calls * steps / (item.steps or steps) for item in shown) / steps
    times = f"{' and '.join(dict.fromkeys(item.what for item in shown))} ran {_frequency_text(per_step, run)}"
    measured = _measured(shown, run, in_part=in_part)
    if measured is None:
        return _not_observed(finding, f"{times}; {_why_not_timed(shown, run)}", ran=True)
    cost, basis, sentence = measured
    return _judged(finding, cost, run, basis=basis, per_step=per_step, reason=times + sentence)


def _measured(shown: Sequence[Seen], run: Run, *, in_part: bool) -> tuple[Interval, str, str] | None:
    """What calls cost in a step, what told that, and the rest of a sentence about it; None where nothing timed them."""
    gains = [item.recoverable for item in shown if item.recoverable is not None]
    if len(gains) == len(shown):
        cost = joint_gain(gains)
        cost = Interval(0.0, cost.high) if in_part else cost
        basis = "trace" if any(_is_traced(item) for item in shown) else "timer"
        return cost, basis, f"; without it {units.span(cost)} {_per_step_text(run)} could be gained"
    spent = [item.host_ms for item in shown if item.host_ms is not None]
    if not spent or all(_is_queued(item, run) for item in shown):
        return None
    ms = sum(spent) / len(run.steps)
    is_bound = in_part or any(_may_be_hidden(item, run) for item in shown)
    cost = timed(shown, len(run.steps))
    cost = Interval(0.0, cost.high) if is_bound else cost
    return cost, "timer", f" and took the CPU {units.duration(ms)} {_per_step_text(run)}"


def timed(shown: Sequence[Seen], steps: int) -> Interval:
    """What calls that were timed cost in a step: the mean, and on both sides of it how far the fastest call lies off.

    What makes some calls slower than others is the machine as a rule, and another run will meet another one: calls that
    take the same time in one run differ from those of the next.
    """
    ms = sum(item.host_ms or 0.0 for item in shown) / steps
    fastest = sum((item.fastest_ms or 0.0) * item.calls for item in shown) / steps
    spread = max(ms - fastest, 0.0) if all(item.fastest_ms is not None for item in shown) else 0.0
    spread = max(spread, BETWEEN_RUNS * ms)
    return Interval(ms - spread, ms + spread)


def _why_not_timed(shown: Sequence[Seen], run: Run) -> str:
    if all(_is_queued(item, run) for item in shown):
        return "it returns before it is done, and only a trace tells what it costs"
    return "it was not timed"


def _proved(finding: Finding, proofs: Sequence[Seen], run: Run) -> Verdict:
    item = proofs[0]
    reason = item.details.get("message") or item.details.get("reason") or ""
    happens = f"a {item.symptom.value} ({item.what}) comes from this line"
    per_step = None
    if item.symptom not in SINCE_THE_START:
        per_step = sum(proof.calls for proof in proofs) / len(run.steps)
        happens += f" {_frequency_text(per_step, run)}"
    found = verdict_on(finding, State.CONFIRMED, f"{happens}: {reason}" if reason else happens)
    return replace(found, basis="counter", per_step=per_step)


def _judged(finding: Finding, cost: Interval, run: Run, *, basis: str, per_step: float, reason: str) -> Verdict:
    step = fmean(item.ms for item in run.steps)
    cost = Interval(min(cost.low, step), min(cost.high, step))  # no more can be gained than a step takes
    share = Interval(cost.low / step, cost.high / step)
    if share.low >= THRESHOLD:
        state = State.CONFIRMED
    elif share.high < THRESHOLD:
        state = State.REFUTED
    else:
        state = State.INCONCLUSIVE
    of = WHOLE_TRACE if _is_whole(run) else "a step"
    sentence = f"{reason}: {_percent(share)} of {of} of {units.duration(step)}"
    return replace(verdict_on(finding, state, sentence), cost=cost, share=share, per_step=per_step, basis=basis)


def _not_observed(finding: Finding, reason: str, *, ran: bool = False) -> Verdict:
    return verdict_on(finding, State.UNMEASURED if ran else State.NOT_OBSERVED, reason)


def verdict_on(finding: Finding, state: State, sentence: str) -> Verdict:
    """A verdict on a finding, at its first line."""
    at = Line(finding.path, finding.span.start_line)
    return Verdict(finding.code, finding.name, at, state, sentence, message=finding.message, help=finding.help)


def joint_gain(gains: Sequence[Interval]) -> Interval:
    """What a step would gain without any of some waits.

    Taking one wait away may only move it to the next, so the lower bounds do not add up.
    """
    return Interval(max(gain.low for gain in gains), sum(gain.high for gain in gains))


def settings_of(loader: Loader) -> str:
    """What decides how fast a loader is, in Python's writing."""
    return ", ".join(f"{name}={loader.settings[name]}" for name in _DECISIVE if name in loader.settings)


def _stands_at(line: Line, finding: Finding) -> bool:
    """Whether a line is one of those that a finding spans: a call may be written over several."""
    return line.path == finding.path and finding.span.start_line <= line.line <= finding.span.end_line


def _is_of(loader: Loader, finding: Finding) -> bool:
    lines = (line for line in (loader.made_at, loader.drawn_at) if line is not None)
    return any(_stands_at(line, finding) for line in lines)


def _on_device(item: Seen) -> bool:
    return item.device not in ("", "cpu")


def _is_traced(item: Seen) -> bool:
    """Whether only a trace of an accelerator tells what could be gained."""
    return item.symptom in _SHOWN_BY_A_DEVICE or _on_device(item)


def _is_queued(item: Seen, run: Run) -> bool:
    """Whether a call only queues work: an accelerator's, or what may be one's where the call does not tell."""
    return item.symptom in _QUEUED and (_on_device(item) or (not item.device and run.device != "cpu"))


def _may_be_hidden(item: Seen, run: Run) -> bool:
    """Whether a step may gain less than the host spends here: work stays, or an accelerator is busy meanwhile."""
    return item.symptom in _UPPER_BOUNDS or (item.symptom is Symptom.GARBAGE_COLLECTION and run.device != "cpu")


def _is_meant(item: Seen, warned_as: str) -> bool:
    """Whether a warning, if it is one, is the one that is meant: a line may give several."""
    said = item.details.get("message", "")
    return item.symptom is not Symptom.WARNING or not warned_as or re.search(warned_as, said) is not None


def _is_common(item: Seen, seen: Sequence[Seen]) -> bool:
    """Whether a line drops gradients as a rule, if it does. A gradient scaler leaves out a step now and then."""
    clearings = sum(other.calls for other in seen if other.symptom in _CLEARINGS)
    return item.symptom is not Symptom.GRADIENTS_DROPPED or 2 * item.calls >= clearings


def _joined_by_or(symptoms: Iterable[Symptom]) -> str:
    *most, last = sorted(symptom.value for symptom in symptoms)
    return f"{', '.join(most)} or {last}" if most else last


def _frequency_text(per_step: float, run: Run) -> str:
    return f"once {_per_step_text(run)}" if per_step == 1 else f"{per_step:.4g} times {_per_step_text(run)}"


def _per_step_text(run: Run) -> str:
    """What a number is of, behind it."""
    return "in all" if _is_whole(run) else "a step"


def _is_whole(run: Run) -> bool:
    """Whether the run is a trace that does not tell steps apart, and counts as one step as a whole."""
    return run.clock == WHOLE_TRACE


def _gain_text(gain: Interval) -> str:
    if gain.low < 0:
        return f"the step could become {units.duration(-gain.low)} slower or {units.duration(gain.high)} faster"
    return f"it could gain {units.span(gain)}"


def _percent(share: Interval) -> str:
    low, high = f"{share.low:.1%}", f"{share.high:.1%}"
    return low if low == high else f"{low} to {high}"
