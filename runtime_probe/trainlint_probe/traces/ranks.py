"""What the traces of all ranks of a training show together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from trainlint_probe.traces.events import UnreadableTrace
from trainlint_probe.traces.reading import TraceReading, read_trace

_IN_NAME = re.compile(r"rank[-_]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Straggler:
    """The rank that the others wait for."""

    rank: int
    communication_ms: float
    """What it spends in communication, per step: the least of all."""
    others_ms: float
    """What the others spend in it, per step: half of them more."""

    @property
    def behind_ms(self) -> float:
        """How long the others wait for it in a step."""
        return self.others_ms - self.communication_ms


@dataclass(frozen=True, slots=True)
class RanksReading:
    """The ranks of one training. Clocks of different machines do not agree, so nothing here compares times of day."""

    path: str
    ranks: tuple[TraceReading, ...]
    """Sorted by rank; each has one."""
    slowest: Straggler | None
    """The rank that waits least in communication; None for a single rank, or where one does not communicate."""
    notes: tuple[str, ...]
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Files of the directory that could not be read → why, as a sentence. Their ranks are missing from all else."""

    @property
    def step_ms(self) -> float:
        """What a step takes on half of the ranks or more."""
        return median(rank.pace_ms for rank in self.ranks)


def read_ranks(directory: Path | str) -> RanksReading:
    """Read a directory with the traces of several ranks, a file each.

    A file that cannot be read hides no other: it is named in `unreadable`.

    Raises:
        UnreadableTrace: where no file of it can be read.
    """
    directory = Path(directory)
    files = sorted(path for path in directory.glob("*") if path.name.endswith((".json", ".json.gz")))
    if not files:
        raise UnreadableTrace(f"{directory} holds no .json or .json.gz: name the directory with one trace per rank.")
    found: dict[int, TraceReading] = {}
    notes: list[str] = []
    unreadable: dict[str, str] = {}
    for number, path in enumerate(files):
        try:
            reading = read_trace(path)
        except UnreadableTrace as error:
            unreadable[path.as_posix()] = str(error)
            continue
        rank = _rank(reading, path, number)
        if rank in found:
            notes.append(f"{path} is another trace of rank {rank} and is left out beside {found[rank].path}.")
        else:
            found[rank] = replace(reading, rank=rank)
    if not found:
        raise UnreadableTrace(f"{directory} holds no trace that can be read. {next(iter(unreadable.values()))}")
    ranks = [found[rank] for rank in sorted(found)]
    return RanksReading(str(directory), tuple(ranks), _slowest(ranks), (*notes, *_missing(ranks)), unreadable)


def _rank(reading: TraceReading, path: Path, number: int) -> int:
    if reading.rank is not None:
        return reading.rank
    named = _IN_NAME.search(path.name)
    return int(named[1]) if named else number


def _slowest(ranks: Sequence[TraceReading]) -> Straggler | None:
    """In a collective, whoever comes last waits least: the others are there already."""
    waits = {rank.rank: rank.communication.ms for rank in ranks if rank.rank is not None and rank.communication}
    if len(waits) < max(len(ranks), 2):
        return None
    slowest = min(waits, key=lambda rank: waits[rank])
    return Straggler(slowest, waits[slowest], median(ms for rank, ms in waits.items() if rank != slowest))


def _missing(ranks: Sequence[TraceReading]) -> Iterator[str]:
    sizes = {rank.world_size for rank in ranks if rank.world_size}
    if sizes and max(sizes) > len(ranks):
        yield f"{len(ranks)} of {max(sizes)} ranks have a trace here: the slowest may be among the others."
    steps = {len(rank.steps_ms) for rank in ranks}
    if len(steps) > 1:
        yield "The ranks recorded different numbers of steps: their means are of different steps."
