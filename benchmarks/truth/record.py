"""What a run of one script showed, as data and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

STEP = "step"
"""One step of the optimizer."""
ENVIRONMENT_STEP = "environment step"
"""One step of a simulated world, in reinforcement learning."""
UNUSED_GRAPH = "graph that nothing trains"
"""Autograd records a forward of a model in `train()`, and no backward goes through it, as where actions are chosen."""


@dataclass(frozen=True, slots=True)
class Event:
    """What one line did in the steps that count."""

    path: str
    """From the folder that the package lies in: "lightning/pytorch/loops/fit_loop.py"."""
    line: int
    kind: str
    """"wait", "collective", "blocking copy, host to device" ..."""
    what: str
    """The operator or function."""
    count: int
    """All steps together."""
    steps: tuple[int, ...]
    """The numbers of the steps in which it happened."""
    in_backward: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """Something besides waits and copies."""

    symptom: str
    """The value of a `trainlint.symptoms.Symptom`, or UNUSED_GRAPH."""
    lines: tuple[tuple[str, int], ...]
    """Path and line of those that led there, the innermost first."""
    count: int
    steps: tuple[int, ...]
    """The numbers of the steps in which it happened."""


class Queued(NamedTuple):
    """What one line gave the device to do after the first step, without making the host wait for it."""

    path: str
    line: int
    operators: tuple[str, ...]
    """Their names in ATen, without overloads."""


@dataclass(frozen=True, slots=True)
class Record:
    """All that a run showed, counted by one unit."""

    steps: int
    """How many count."""
    unit: str
    """What is counted: STEP or ENVIRONMENT_STEP."""
    events: tuple[Event, ...]
    executed: Mapping[str, tuple[int, ...]]
    """Path → the lines that ran after the first step."""
    error: str
    """What ended the script; empty where it came to its end."""
    packages: Mapping[str, str]
    """The name of each package → where it lies."""
    versions: Mapping[str, str]
    """Of what the script requires, its library first, and of PyTorch."""
    facts: tuple[Fact, ...] = ()
    growth: int = 0
    """Bytes by which the device's live tensors grow in each step; 0 where they do not."""
    queued: tuple[Queued, ...] | None = None
    """None where nobody looked."""


def as_json(records: Sequence[Record]) -> list[dict[str, Any]]:
    """JSON's own types."""
    return [asdict(record) for record in records]


def from_json(data: Sequence[Mapping[str, Any]]) -> tuple[Record, ...]:
    """What `as_json` made."""
    return tuple(map(_record, data))


def _record(data: Mapping[str, Any]) -> Record:
    events = tuple(Event(**{**event, "steps": tuple(event["steps"])}) for event in data["events"])
    executed = {path: tuple(lines) for path, lines in data["executed"].items()}
    facts = tuple(
        Fact(each["symptom"], tuple((path, line) for path, line in each["lines"]), each["count"], tuple(each["steps"]))
        for each in data["facts"]
    )
    queued = data.get("queued")
    if queued is not None:
        queued = tuple(Queued(path, line, tuple(operators)) for path, line, operators in queued)
    return Record(**{**data, "events": events, "executed": executed, "facts": facts, "queued": queued})
