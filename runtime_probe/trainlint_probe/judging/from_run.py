"""What a run on the simulated device answers to a claim: confirmed with its count and price, refuted, not reached."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.simulation import DeviceEvent
from trainlint.finding import Heat
from trainlint_probe.judgement.counted import gain_without, price_words, sentence, short_path
from trainlint_probe.judging.answers import Answer, State
from trainlint_probe.judging.code_facts import CodeFacts
from trainlint_probe.judging.from_code import outside_of_steps
from trainlint_probe.judging.kinds import Kind
from trainlint_probe.judging.run_facts import Hit, RunFacts
from trainlint_probe.judging.spans import Span

_OWN = os.path.realpath(Path(__file__).parents[1]) + os.sep
SELDOM = 0.25
"""What happens less often a step, in the mean, is refuted: it is no cost of each step."""


def answer_from_run(of_code: Answer, kind: Kind, facts: CodeFacts, run: RunFacts) -> Answer:
    """The answer of a run, where the code alone has answered `of_code`."""
    counted = kind.counted
    if counted is None:
        return of_code
    span = facts.spans[of_code.line]
    here = [hit for hit in run.hits.get(facts.real, ()) if span.first <= hit.line <= span.last]
    told = _telling([hit for hit in here if counted(hit.event)], run)
    base = replace(of_code, basis="run")
    if told:
        return _of_hits(base, told, facts, run)
    ran = any(line in run.executed.get(facts.real, ()) for line in range(span.first, span.last + 1))
    if ran or here:
        return replace(base, state=State.REFUTED, reason=_never(kind, here, run))
    if not run.watched(facts.real):
        reason = (
            f"nothing of it was seen at the line, and which lines of this file ran was not watched; {of_code.reason}"
        )
        return replace(base, state=State.UNKNOWN, reason=reason)
    if of_code.state is State.REFUTED and not any(branch.name for branch in span.around):
        return of_code  # code of the file itself, which has run before the steps
    return replace(base, state=State.NOT_REACHED, reason=_missed(span, facts, run))


def _telling(hits: Sequence[Hit], run: RunFacts) -> Sequence[Hit]:
    """What the line does itself, where that is often; with what it calls where it is not."""
    own = [hit for hit in hits if hit.depth == 0]
    return own if sum(hit.event.count for hit in own) >= SELDOM * run.steps else hits


def _of_hits(base: Answer, hits: Sequence[Hit], facts: CodeFacts, run: RunFacts) -> Answer:
    events = [hit.event for hit in hits]
    per_step = sum(event.count for event in events) / run.steps
    said = sentence(events, run.steps)
    most_frequent = max(hits, key=lambda hit: hit.event.count)
    inner, below = most_frequent.innermost, most_frequent.depth > 0
    if below:
        said += f", at {short_path(inner.path)}:{inner.line}, which it calls"
    base = replace(base, per_step=per_step, chain=base.chain or _calls(events[0]))
    heat, seldom = _outside(base, facts)
    is_in_most = max(event.steps for event in events) * 2 >= run.steps
    # Whole steps may be taken in what the line calls.
    is_outside = below if is_in_most else heat is Heat.EVAL_STEP or per_step < 1
    if seldom and is_outside:
        return replace(base, state=State.REFUTED, reason=f"{said}; the line is not in a step: it {seldom}")
    if per_step < SELDOM:
        reason = f"{said}: {per_step:.2g} a step in the mean, which is less than once in four steps"
        return replace(base, state=State.REFUTED, reason=reason)
    gain = _price(hits, run)
    return replace(base, state=State.CONFIRMED, reason=said + price_words(gain, run.simulated), gain_ms=gain)


def _price(hits: Sequence[Hit], run: RunFacts) -> Interval | None:
    """What a step would gain without what is hit; None where the price is that of a line which does more."""
    lines = {Line(hit.event.path, hit.event.line) for hit in hits}
    innermost = {Line(hit.innermost.path, hit.innermost.line) for hit in hits}
    return gain_without(lines, run.simulated) if lines <= innermost else None


def _calls(event: DeviceEvent) -> tuple[str, ...]:
    """The calls that led to an event, from the script on."""
    users = (place for place in event.chain if not os.path.realpath(place.path).startswith(_OWN))
    return tuple(f"{place.path}:{place.line} in {place.function}" for place in users)[::-1]


def _outside(answer: Answer, facts: CodeFacts) -> tuple[Heat, str]:
    """How often the code says that a line outside of the steps runs; an empty text where it does not say so."""
    span = facts.spans[answer.line]
    lines = (facts.lines[number] for number in range(span.first, span.last + 1) if number in facts.lines)
    told = next((line for line in lines if line.heat is not None), None)
    return (told.heat.heat if told is not None and told.heat is not None else Heat.UNKNOWN), outside_of_steps(told)


def _never(kind: Kind, here: Sequence[Hit], run: RunFacts) -> str:
    """Why a line that ran does not do what is claimed."""
    others = [hit.event for hit in here if hit.depth == 0]
    instead = f"; what it does is {sentence(others, run.steps)}" if others else ""
    return f"never in {run.steps} steps: the line ran, without {kind.meaning}{instead}"


def _missed(span: Span, facts: CodeFacts, run: RunFacts) -> str:
    """What a run would have to do to reach a line."""
    ran = run.executed.get(facts.real, ())
    within = f"in {run.steps} steps"
    if not ran:
        return f"no line of the file ran {within}: the script does not use it there"
    for branch in span.around:
        if any(branch.first <= line <= branch.last for line in ran):
            continue
        if branch.name:
            return f"`{branch.name}` was not called {within}"
        if branch.text.startswith("class "):
            continue
        return f"the branch `{branch.text}` of line {branch.header} was not taken {within}"
    return f"the code around it ran {within} and left before this line"
