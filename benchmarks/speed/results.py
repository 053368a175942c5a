"""What a run of the benchmark found out: plain data, kept as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Took:
    """What one run of a command took, all its processes together."""

    cpu: float
    """Seconds, of the user's code and of the system for it."""
    wall: float
    """Seconds on the clock."""
    peak: int
    """Bytes of memory: the most that one process held."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one contestant on one tree of files."""

    contestant: str
    took: tuple[Took, ...] = ()
    reason: str = ""
    """Why there is no figure, as the page says it."""

    @property
    def cpu(self) -> float:
        """The median. Raises StatisticsError where nothing ran."""
        return median(took.cpu for took in self.took)

    @property
    def wall(self) -> float:
        """The median. Raises StatisticsError where nothing ran."""
        return median(took.wall for took in self.took)

    @property
    def peak(self) -> int:
        """The highest."""
        return max(took.peak for took in self.took)


@dataclass(frozen=True, slots=True)
class Measured:
    """A tree of files and who ran on it."""

    files: int
    lines: int
    runs: tuple[Runs, ...]

    def of(self, contestant: str) -> Runs | None:
        """The runs of one, if it ran at all."""
        return next((runs for runs in self.runs if runs.contestant == contestant and runs.took), None)


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository: all of its files, a sample for who is slow, and a single clean file."""

    name: str
    version: str
    findings: int
    not_judged: int
    """Files, or rules on a file, that could not be judged."""
    whole: Measured
    sample: Measured | None = None
    """None where the whole is small enough for everybody."""
    one_file: Measured | None = None

    @property
    def sampled(self) -> Measured:
        """Where every contestant ran."""
        return self.sample or self.whole


@dataclass(frozen=True, slots=True)
class Results:
    """All of it."""

    date: str
    machine: str
    versions: dict[str, str]
    """Of every program that took part, by the name that the page gives it."""
    repeat: int
    sample_lines: int
    time_limit: float
    repositories: tuple[Repository, ...] = ()
    growth: tuple[Measured, ...] = ()
    """Trees of more and more files."""
    growth_from: tuple[str, ...] = ()
    """The repositories whose files these trees hold."""
    stages: dict[str, float] = field(default_factory=dict)
    """CPU seconds of one cold run, by stage, without what other stages did meanwhile."""
    stages_of: str = ""

    def with_repository(self, repository: Repository) -> Results:
        """These results and one repository more."""
        return replace(self, repositories=(*self.repositories, repository))


def write(results: Results, path: Path) -> None:
    """Keep results."""
    path.write_text(as_json(results), encoding="utf-8", newline="\n")


def read(path: Path) -> Results:
    """Results that were kept. Raises OSError, or KeyError, TypeError or ValueError for another file."""
    return from_json(path.read_text(encoding="utf-8"))


def as_json(results: Results) -> str:
    """Results as text. Times are rounded to what a clock can tell."""
    return _on_one_line(json.dumps(_rounded(asdict(results)), indent=1, ensure_ascii=False)) + "\n"


def from_json(text: str) -> Results:
    """Results out of a text. Raises KeyError, TypeError or ValueError for another text."""
    data = json.loads(text)
    data["repositories"] = tuple(_repository(each) for each in data["repositories"])
    data["growth"] = tuple(_measured(each) for each in data["growth"])
    data["growth_from"] = tuple(data["growth_from"])
    return Results(**data)


def _repository(data: dict[str, Any]) -> Repository:
    parts = {part: _measured(data[part]) if data[part] else None for part in ("whole", "sample", "one_file")}
    return Repository(**{**data, **parts})


def _measured(data: dict[str, Any]) -> Measured:
    runs = tuple(
        Runs(each["contestant"], tuple(Took(*took) for took in each["took"]), each["reason"]) for each in data["runs"]
    )
    return Measured(data["files"], data["lines"], runs)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        if value.keys() == {"cpu", "wall", "peak"}:
            return [round(value["cpu"], 4), round(value["wall"], 4), value["peak"]]
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def _on_one_line(text: str) -> str:
    """Each run on a line of its own, not each of its three numbers."""
    return re.sub(r"\[\s+([\d.]+),\s+([\d.]+),\s+(\d+)\s+\]", r"[\1, \2, \3]", text)
