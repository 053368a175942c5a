"""Whether two runs of a training compute the same, step by step and bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isfinite

from trainlint.evidence import Computation, Computed, Run
from trainlint_probe.prove.result import Answer, Loss, Training

_CLOSED = "window closed"


def compare(before: Sequence[Run], after: Sequence[Run]) -> Training:
    """How all ranks of the run `after` compare with those of the run `before`: the first that differs is told.

    Each run has come to its end, and has seen steps.
    """
    if len(before) != len(after):
        words = f"{len(before)} processes train before the change, and {len(after)} after it"
        return Training(Answer.CHANGED, words, 0, 0)
    found = [_of_rank(one, other) for one, other in zip(before, after, strict=True)]
    worst = min(found, key=lambda each: (_ORDER.index(each.answer), each.first_step or 0))
    return replace(worst, sentence=f"{worst.sentence}, in each of {len(found)} ranks") if len(found) > 1 else worst


_ORDER = (Answer.CHANGED, Answer.UNKNOWN, Answer.SAME)


def _of_rank(before: Run, after: Run) -> Training:
    one, other = before.computed, after.computed
    assert one is not None, "the run was told to keep it"
    assert other is not None, "likewise"
    steps = min(len(one.steps), len(other.steps))
    losses = sum(len(step.losses) for step in one.steps[:steps])
    for number, (old, new) in enumerate(zip(one.steps, other.steps, strict=False), 1):
        if old != new:
            return _different(number, old, new, steps, losses)
    if len(one.steps) != len(other.steps):
        words = f"{_steps(before, one)} before the change, and {_steps(after, other)} after it; the first {steps} are"
        return Training(Answer.CHANGED, f"the training takes {words} the same", steps, losses, steps + 1)
    if drawn := _drawn_elsewhere(before, after):
        return Training(Answer.CHANGED, drawn, steps, losses)
    return _same(one, other, steps, losses)


def _steps(run: Run, computed: Computation) -> str:
    count = len(computed.steps)
    return f"{count} or more steps" if run.outcome == _CLOSED else f"{count} steps"


def _different(number: int, old: Computed, new: Computed, steps: int, losses: int) -> Training:
    for place, (first, second) in enumerate(zip_longest(old.losses, new.losses)):
        if first is None or second is None:
            words = f"step {number} calls backward {len(old.losses)} times before the change, and {len(new.losses)}"
            return Training(Answer.CHANGED, f"{words} times after it", steps, losses, number)
        if first != second:
            relative = _relative(float(first), float(second))
            which = f", of its {len(old.losses)} losses the {place + 1}." if len(old.losses) > 1 else ""
            much = f", by {relative:.2g} of it" if relative is not None else ""
            words = (
                f"the losses differ from step {number} on{which}: {first} before the change, {second} after it{much}"
            )
            return Training(Answer.CHANGED, words, steps, losses, number, Loss(first, second, relative))
    if not old.parameters or not new.parameters:
        words = f"in step {number} the parameters were seen {'before' if old.parameters else 'after'} the change alone"
        return Training(Answer.UNKNOWN, words, steps, losses, number)
    words = f"the parameters differ from step {number} on, whose losses are the same"
    return Training(Answer.CHANGED, words, steps, losses, number)


def _relative(before: float, after: float) -> float | None:
    return abs(after - before) / abs(before) if before and isfinite(before) and isfinite(after) else None


def _drawn_elsewhere(before: Run, after: Run) -> str:
    """What to say where random numbers come from another generator: only a simulated GPU has that of the host."""
    one, other = before.simulated, after.simulated
    if one is None or other is None or one.draws_on_device == other.draws_on_device:
        return ""
    return (
        f"random numbers are drawn on the GPU {one.draws_on_device} times before the change and "
        f"{other.draws_on_device} times after it: a real GPU has a generator of its own, so there the losses differ, "
        "although they are the same here"
    )


def _same(one: Computation, other: Computation, steps: int, losses: int) -> Training:
    """All steps are the same, as far as they were seen."""
    if one.state and other.state and one.state != other.state:
        norms = f" (their norm: {one.norm!r} before the change, {other.norm!r} after it)"
        words = f"all {losses} losses are the same, but parameters or buffers differ after the last step{norms}"
        return Training(Answer.CHANGED, words, steps, losses, steps)
    by_step = all(step.parameters for step in one.steps)
    has_parameters = by_step or bool(one.state and other.state)
    if not losses or not has_parameters:
        unseen = [what for what, seen in (("loss", losses), ("parameter", has_parameters)) if not seen]
        rest = "; the losses are the same" if losses else "; the parameters are the same" if has_parameters else ""
        return Training(Answer.UNKNOWN, f"no {' and no '.join(unseen)} was seen{rest}", steps, losses)
    when = f"after each of {steps} steps" if by_step else f"after {steps} steps"
    return Training(
        Answer.SAME, f"all {losses} losses and the parameters {when} are the same bit for bit", steps, losses
    )


def with_noise(training: Training, noise: Training) -> Training:
    """What is said of a difference, once two runs without any change have been compared: `noise`."""
    if training.answer is not Answer.CHANGED or noise.answer is Answer.SAME or training.first_step is None:
        return training
    if noise.answer is Answer.CHANGED and noise.first_step and training.first_step < noise.first_step:
        return replace(
            training,
            sentence=f"{training.sentence}; two runs without the change differ from step {noise.first_step} on",
        )
    words = "two runs without the change do not compute the same either, so the change cannot be told from chance"
    hint = "seed all random numbers of the script, and leave out what depends on time"
    return replace(training, answer=Answer.UNKNOWN, sentence=f"{words} ({noise.sentence}); {hint}")
