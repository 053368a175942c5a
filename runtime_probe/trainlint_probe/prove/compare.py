"""Whether two runs of a training compute the same, step by step and bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isfinite
from typing import NamedTuple

from trainlint.evidence.run import Computation, Computed, Run
from trainlint_probe.prove.draws import drawn_elsewhere
from trainlint_probe.prove.result import Answer, Loss, Training

_CLOSED = "window closed"


class Names(NamedTuple):
    """What the two runs are called, as it stands behind what each of them has."""

    first: str
    second: str


OF_A_CHANGE = Names("before the change", "after it")
OF_THE_SAME = Names("in one run", "in another")
"""Two runs of the same code."""


def compare(before: Sequence[Run], after: Sequence[Run], names: Names = OF_A_CHANGE) -> Training:
    """How all ranks of the run `after` compare with those of the run `before`: the first that differs is told.

    Each run has come to its end, and has seen steps.
    """
    if len(before) != len(after):
        words = f"{len(before)} processes train {names.first}, and {len(after)} {names.second}"
        return Training(Answer.CHANGED, words, 0, 0)
    found = [_of_rank(one, other, names) for one, other in zip(before, after, strict=True)]
    worst = min(found, key=lambda each: (_ORDER.index(each.answer), each.first_step or 0))
    return replace(worst, sentence=f"{worst.sentence}, in each of {len(found)} ranks") if len(found) > 1 else worst


_ORDER = (Answer.CHANGED, Answer.UNKNOWN, Answer.SAME)


def _of_rank(before: Run, after: Run, names: Names) -> Training:
    one, other = before.computed, after.computed
    assert one is not None, "the run was told to keep it"
    assert other is not None, "likewise"
    steps = min(len(one.steps), len(other.steps))
    losses = sum(len(step.losses) for step in one.steps[:steps])
    for number, (old, new) in enumerate(zip(one.steps, other.steps, strict=False), 1):
        found = _different(number, old, new, names) if old != new else None
        if found is not None:
            return replace(found, steps=steps, losses=losses)
    if len(one.steps) != len(other.steps):
        words = f"{_steps(before, one)} {names.first}, and {_steps(after, other)} {names.second}"
        words = f"the training takes {words}; the first {steps} are the same"
        return Training(Answer.CHANGED, words, steps, losses, steps + 1)
    return _same(one, other, steps, losses, names)


def _steps(run: Run, computed: Computation) -> str:
    count = len(computed.steps)
    return f"{count} or more steps" if run.outcome == _CLOSED else f"{count} steps"


def _different(number: int, old: Computed, new: Computed, names: Names) -> Training | None:
    """How one step differs; None where all that was computed and drawn is the same."""
    for place, (first, second) in enumerate(zip_longest(old.losses, new.losses)):
        if first is None or second is None:
            words = f"step {number} calls backward {len(old.losses)} times {names.first}, and {len(new.losses)}"
            return Training(Answer.CHANGED, f"{words} times {names.second}", 0, 0, number)
        if first != second:
            relative = _relative(float(first), float(second))
            which = f", of its {len(old.losses)} losses the {place + 1}." if len(old.losses) > 1 else ""
            much = f", by {relative:.2g} of it" if relative is not None else ""
            values = f"{first} {names.first}, {second} {names.second}{much}"
            words = f"the losses differ from step {number} on{which}: {values}"
            return Training(Answer.CHANGED, words, 0, 0, number, Loss(first, second, relative))
    if old.parameters != new.parameters:
        if not old.parameters or not new.parameters:
            words = f"in step {number} the parameters were seen {names[0 if old.parameters else 1]} alone"
            return Training(Answer.UNKNOWN, words, 0, 0, number)
        words = f"the parameters differ from step {number} on, whose losses are the same"
        return Training(Answer.CHANGED, words, 0, 0, number)
    words = drawn_elsewhere(number, old.draws, new.draws)
    return Training(Answer.CHANGED, words, 0, 0, number) if words else None


def _relative(before: float, after: float) -> float | None:
    return abs(after - before) / abs(before) if before and isfinite(before) and isfinite(after) else None


def _same(one: Computation, other: Computation, steps: int, losses: int, names: Names) -> Training:
    """All steps are the same, as far as they were seen."""
    if one.state and other.state and one.state != other.state:
        norms = f" (their norm: {one.norm!r} {names.first}, {other.norm!r} {names.second})"
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
    words = f"two runs without the change do not compute the same: {noise.sentence}"
    return replace(training, answer=Answer.UNKNOWN, sentence=f"{words}; {_UNSEEDED}")


_UNSEEDED = (
    "Python, NumPy, PyTorch and the hashes of strings had the same seeds, so the cause is the time, "
    "`os.urandom`, `random.Random()`, `torch.seed()`, threads, or files that a run leaves; fix that, then "
    "prove the change"
)
