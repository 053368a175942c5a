"""Figures that compare contestants: over the repositories on which both ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.speed.contestants import AST, COLD, RUFF_ALL, SLOW_PEERS, TWO_CORES
from benchmarks.speed.results import Measured, Repository, Results

LARGE = 100_000
"""Lines from which a repository is called large."""

Part = Callable[[Repository], Measured]
"""The tree of a repository that is looked at."""


def whole(repository: Repository) -> Measured:
    """All of its files."""
    return repository.whole


def sampled(repository: Repository) -> Measured:
    """The files that everybody judged."""
    return repository.sampled


@dataclass(frozen=True, slots=True)
class Total:
    """A contestant over several repositories."""

    lines: int
    cpu: float

    @property
    def lines_a_second(self) -> float:
        """Lines per CPU-second."""
        return self.lines / self.cpu


def total(results: Results, contestant: str, part: Part = whole) -> Total | None:
    """The sum over all repositories; None where it did not run on each of them."""
    runs = [(part(repository).lines, part(repository).of(contestant)) for repository in results.repositories]
    if not runs or any(each is None for _, each in runs):
        return None
    return Total(sum(lines for lines, _ in runs), sum(each.cpu for _, each in runs if each is not None))


def times_trainlint(measured: Measured, contestant: str) -> float | None:
    """How many times the CPU time of trainlint somebody takes for the same files; None where either did not run."""
    ours, theirs = measured.of(COLD), measured.of(contestant)
    return None if ours is None or theirs is None else theirs.cpu / ours.cpu


def ratio(results: Results, contestant: str, other: str, part: Part = whole) -> float | None:
    """The CPU time of one over that of another, summed over all repositories."""
    one, two = total(results, contestant, part), total(results, other, part)
    return None if one is None or two is None else one.cpu / two.cpu


def speed_ups(results: Results) -> Iterator[tuple[str, float]]:
    """How much sooner two cores are done, by the clock, for each large repository."""
    for repository in results.repositories:
        one, two = repository.whole.of(COLD), repository.whole.of(TWO_CORES)
        if repository.whole.lines >= LARGE and one is not None and two is not None:
            yield repository.name, one.wall / two.wall


def against_slow_peers(results: Results) -> dict[str, float]:
    """How many times trainlint's CPU time each of the slow linters takes, of those that ran everywhere."""
    found = {name: ratio(results, name, COLD, sampled) for name in SLOW_PEERS}
    return {name: value for name, value in found.items() if value is not None}


def slow_peers_by_lines(results: Results) -> dict[str, float]:
    """The same by lines per CPU-second: trainlint's on all files over theirs on the files that they judged.

    A sample is so small that half of trainlint's time for it is its start.
    """
    ours = total(results, COLD)
    theirs = {name: total(results, name, sampled) for name in SLOW_PEERS}
    if ours is None:
        return {}
    return {name: ours.lines_a_second / each.lines_a_second for name, each in theirs.items() if each is not None}


def against_the_least(results: Results) -> float | None:
    """How many times bare `ast.parse` and one walk, in CPU time, trainlint takes."""
    return ratio(results, COLD, AST)


def against_ruff(results: Results) -> float | None:
    """How many times ruff with all of its rules, in CPU time, trainlint takes."""
    return ratio(results, COLD, RUFF_ALL)


def reports_compared(results: Results, ours: frozenset[str]) -> int:
    """How many runs of trainlint had to print the same as the others on their files."""
    trees = [repository.whole for repository in results.repositories]
    trees += [repository.sample for repository in results.repositories if repository.sample]
    trees += [repository.one_file for repository in results.repositories if repository.one_file]
    return sum(len(runs.took) for tree in (*trees, *results.growth) for runs in tree.runs if runs.contestant in ours)
