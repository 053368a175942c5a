"""What a run says of findings: each is confirmed, refuted, or neither, with what it costs a step and why.

A finding and what was seen meet at a line. What a rule's pattern shows itself by at run time is the rule's own to say
(`Rule.confirmed_by`): that a line ran proves nothing about its cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import sqrt
from statistics import fmean, stdev

from trainlint.evidence import Interval, Line, Loader, Phase, Run, Seen, State, Symptom, Verdict
from trainlint.finding import Finding
from trainlint.records import replace

THRESHOLD = 0.01
"""The share of a step from which a cost counts. Steps of one training differ by more than that as a rule, so less
could not be told from noise by running the training again."""

_SHOWN_BY_A_DEVICE = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})
"""What costs nothing on a processor alone: there is no device that could be waited for."""

_UPPER_BOUNDS = frozenset({Symptom.EVALUATION_WITH_GRADIENTS, Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE})
"""What the host spends there is the most that could be saved: part of it is work that stays."""

_PROOFS = frozenset({Symptom.WARNING, Symptom.GRAPH_BREAK, Symptom.RECOMPILE})
"""What is the very thing that a rule speaks of: that it happens is the proof, whatever it costs."""

_DECISIVE = ("num_workers", "pin_memory", "batch_size")

_SPREAD = 1.96
"""Standard errors on each side of a mean that hold the true one 95 times in 100."""


def verdict(finding: Finding, symptoms: Collection[Symptom], run: Run, *, threshold: float = THRESHOLD) -> Verdict:
    """What a run says of one finding. `symptoms` are what the rule's pattern shows itself by."""
    if not run.steps:
        return _unseen(finding, "no step was seen")
    seen = [item for item in run.seen if _stands_at(item.at, finding)]
    shown = [item for item in seen if item.symptom in symptoms]
    loaders = [item for item in run.loaders if _is_of(item, finding)] if Symptom.DATA_WAIT in symptoms else []
    if loaders:
        return _of_loaders(finding, loaders, run, threshold)
    if not symptoms:
        return _unseen(finding, "the probe has no way to measure this", ran=bool(seen))
    if not shown:
        return _unseen(finding, f"no {_either(symptoms)} was seen at this line in {len(run.steps)} steps")
    return _of_calls(finding, shown, run, threshold)


def _of_loaders(finding: Finding, loaders: Sequence[Loader], run: Run, threshold: float) -> Verdict:
    waits = [step.phases.get(Phase.DATA_WAIT, 0.0) for step in run.steps]
    share_of_these = _part(sum(loader.wait_ms for loader in loaders), sum(loader.wait_ms for loader in run.loaders))
    cost = _mean_of([wait * share_of_these for wait in waits])
    return _judged(
        finding,
        cost,
        run,
        threshold,
        basis="timer",
        per_step=sum(loader.batches for loader in loaders) / len(run.steps),
        reason=f"the step waits {_span(cost)} for this loader ({settings_of(loaders[0])}), and could gain no more",
    )


def _of_calls(finding: Finding, shown: Sequence[Seen], run: Run, threshold: float) -> Verdict:
    # What a library does on behalf of a call that is counted itself is part of that call.
    shown = [item for item in shown if item.direct] or shown
    proofs = [item for item in shown if item.symptom in _PROOFS]
    if proofs:
        return _proved(finding, proofs[0])
    steps = len(run.steps)
    calls = sum(item.calls for item in shown)
    what = " and ".join(dict.fromkeys(item.what for item in shown))
    times = f"{what} ran {_often(calls / steps)}"
    if all(item.symptom in _SHOWN_BY_A_DEVICE for item in shown) and not any(_on_device(item) for item in shown):
        of_user = "" if any(item.direct for item in shown) else ", by a library"
        sentence = f"{times}{of_user}, on tensors of the CPU: what it costs shows on an accelerator alone"
        found = _about(finding, State.UNMEASURED, sentence)
        return replace(found, per_step=calls / steps, basis="counter")
    if all(item.recoverable is not None for item in shown):
        cost = together([item.recoverable for item in shown if item.recoverable is not None])
        reason, basis = f"{times}; without it a step could gain {_span(cost)}", "trace"
    elif all(item.symptom is Symptom.COLLECTIVE and _on_device(item) for item in shown):
        return _unseen(
            finding, f"{times}; it returns before it is done, and only a trace tells what it costs", ran=True
        )
    elif any(item.host_ms is not None for item in shown):
        spent = sum(item.host_ms or 0.0 for item in shown) / steps
        is_bound = any(item.symptom in _UPPER_BOUNDS for item in shown)
        cost = Interval(0.0 if is_bound else spent, spent)
        reason, basis = f"{times} and took the host {spent:.2f} ms of each step", "timer"
    else:
        return _unseen(finding, f"{times}; it was not timed", ran=True)
    return _judged(finding, cost, run, threshold, basis=basis, per_step=calls / steps, reason=reason)


def _proved(finding: Finding, item: Seen) -> Verdict:
    reason = item.details.get("message") or item.details.get("reason") or ""
    happens = f"a {item.symptom.value} ({item.what}) comes from this line"
    return replace(_about(finding, State.CONFIRMED, f"{happens}: {reason}" if reason else happens), basis="counter")


def _judged(
    finding: Finding, cost: Interval, run: Run, threshold: float, *, basis: str, per_step: float, reason: str
) -> Verdict:
    step = fmean(item.ms for item in run.steps)
    share = Interval(cost.low / step, cost.high / step)
    if share.low >= threshold:
        state = State.CONFIRMED
    elif share.high < threshold:
        state = State.REFUTED
    else:
        state = State.INCONCLUSIVE
    sentence = f"{reason}: {_percent(share)} of a step of {step:.1f} ms"
    return replace(_about(finding, state, sentence), cost=cost, share=share, per_step=per_step, basis=basis)


def _unseen(finding: Finding, reason: str, *, ran: bool = False) -> Verdict:
    return _about(finding, State.UNMEASURED if ran else State.NOT_OBSERVED, reason)


def _about(finding: Finding, state: State, sentence: str) -> Verdict:
    at = Line(finding.path, finding.span.start_line)
    return Verdict(finding.code, finding.name, at, state, sentence, message=finding.message)


def together(gains: Sequence[Interval]) -> Interval:
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


def _mean_of(times: Sequence[float]) -> Interval:
    """Where the mean of many steps lies, by what these steps show."""
    mean = fmean(times)
    margin = _SPREAD * stdev(times) / sqrt(len(times)) if len(times) > 1 else mean
    return Interval(max(0.0, mean - margin), mean + margin)


def _part(some: float, whole: float) -> float:
    return some / whole if whole else 0.0


def _either(symptoms: Iterable[Symptom]) -> str:
    *most, last = sorted(symptom.value for symptom in symptoms)
    return f"{', '.join(most)} or {last}" if most else last


def _often(per_step: float) -> str:
    return "once a step" if per_step == 1 else f"{per_step:.4g} times a step"


def _span(cost: Interval) -> str:
    low, high = f"{cost.low:.2f}", f"{cost.high:.2f}"
    return f"{low} ms" if low == high else f"{low} to {high} ms"


def _percent(share: Interval) -> str:
    low, high = f"{share.low:.1%}", f"{share.high:.1%}"
    return low if low == high else f"{low} to {high}"
