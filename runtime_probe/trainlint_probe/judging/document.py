"""For programs: one JSON object with all answers, described in report/schema/judge.schema.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainlint import __version__
from trainlint.evidence.as_json import to_json
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
    answers: tuple[Answer, ...]
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
        tuple(answers),
    )
    return json_without_commands(json.dumps(to_json(document), indent=2) + "\n")


def _ran(run: Run) -> Ran:
    gpu = run.simulated.gpu if run.simulated is not None else None
    return Ran(run.command, run.outcome, len(run.steps), run.device, gpu, run.failure)
