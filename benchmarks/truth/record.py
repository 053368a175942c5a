"""What a run of one script showed, as data and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


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
class Record:
    """All that a run showed."""

    steps: int
    """How many count."""
    events: tuple[Event, ...]
    executed: Mapping[str, tuple[int, ...]]
    """Path → the lines that ran after the first step."""
    error: str
    """What ended the script; empty where it came to its end."""
    packages: Mapping[str, str]
    """The name of each package → where it lies."""


def as_json(record: Record) -> dict[str, Any]:
    """JSON's own types."""
    return asdict(record)


def from_json(data: Mapping[str, Any]) -> Record:
    """What `as_json` made."""
    events = tuple(Event(**{**event, "steps": tuple(event["steps"])}) for event in data["events"])
    executed = {path: tuple(lines) for path, lines in data["executed"].items()}
    return Record(data["steps"], events, executed, data["error"], data["packages"])
