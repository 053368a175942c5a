"""For programs: one JSON object with all answers, described in report/schema/judge.schema.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainlint import __version__
from trainlint.evidence.as_json import to_json
from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Run
from trainlint.report.characters import json_without_commands
from trainlint_probe.judging.answers import Answer, State

FORMAT_VERSION = 1
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The run that claims were judged by."""

    command: tuple[str, ...]
    outcome: str
    """"window closed" where all steps were counted."""
    steps: int
    """How many were counted."""
    device: str
    gpu: str | None
    """The GPU that was simulated."""
    failure: str
    """What ended the script, in words; empty where it did not fail."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A claim, and what became of it."""

    path: str
    """As the claim names it; empty where it could not be read, as are `line` (then 0) and `kind`."""
    line: int
    kind: str
    note: str
    state: State
    reason: str
    """Why, in a clause, with the counts."""
    per_step: float | None
    """How often it happens a step, in the mean of the steps that were counted."""
    gain_ms: Interval | None
    """Milliseconds that a step would be shorter without it, by a model of the device's queue."""
    chain: tuple[str, ...]
    """The way from the training loop to the line, outermost first, as far as it is known."""
    rules: tuple[str, ...]
    """The codes of the rules that report the line."""
    basis: str
    """"code" or "run"; empty where the claim is invalid."""


@dataclass(frozen=True, slots=True)
class Document:
    """The answers to claims."""

    format_version: int
    trainlint_version: str
    run: Ran | None
    """Null without a run."""
    note: str
    """What a reader must know of the run; empty where it saw all that it was to see."""
    counts: Mapping[State, int]
    """How many claims came to each state."""
    answers: tuple[Answered, ...]
    """One for each claim, in their order."""


def as_json(answers: Sequence[Answer], note: str, run: Run | None) -> str:
    """The document as text that ends with a line feed. Pure ASCII, so that any stream takes it."""
    counts = Counter(answer.state for answer in answers)
    document = Document(
        FORMAT_VERSION,
        __version__,
        None if run is None else _ran(run),
        note,
        {state: counts[state] for state in State},
        tuple(map(_answered, answers)),
    )
    return json_without_commands(json.dumps(to_json(document), indent=2) + "\n")


def _ran(run: Run) -> Ran:
    gpu = run.simulated.gpu if run.simulated is not None else None
    return Ran(run.command, run.outcome, len(run.steps), run.device, gpu, run.failure)


def _answered(answer: Answer) -> Answered:
    claim = answer.claim
    return Answered(
        path=claim.path,
        line=claim.line,
        kind=claim.kind,
        note=claim.note,
        state=answer.state,
        reason=answer.reason,
        per_step=answer.per_step,
        gain_ms=answer.cost,
        chain=answer.chain,
        rules=answer.rules,
        basis=answer.basis,
    )
