"""What trainlint's speed is held to, and whether it is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from benchmarks.speed import figures
from benchmarks.speed.contestants import COLD, FIRST, PYTHON, WARM
from benchmarks.speed.results import Results
from benchmarks.speed.run import ALONE, ALONE_WARM

_LINES_A_SECOND = 50_000
_TIMES_THE_LEAST = 3
_TIMES_FASTER = 60
_TIMES_RUFF = 5
_MANY_FILES = 5_000
_WARM_SECONDS = 0.5
_WARM_SHARE = 0.1
_TIMES_PYTHON = 3.5
_TWO_CORES = 1.6
_MOST_FILES = 30_000
_MOST_MEMORY = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, in words."""

    what: str
    wanted: str
    measured: str
    reached: bool


def goals(results: Results) -> Iterator[Goal]:
    """Each goal for which there are figures."""
    yield from _cold(results)
    yield from _warm(results)
    yield from _one_file(results)
    yield from _memory(results)
    speed_ups = dict(figures.speed_ups(results))
    if speed_ups:
        words = ", ".join(f"{name} {times:.2f}×" for name, times in speed_ups.items())
        reached = min(speed_ups.values()) >= _TWO_CORES
        yield Goal("Two cores, large repositories, by the clock", f"at least {_TWO_CORES}× sooner", words, reached)


def _cold(results: Results) -> Iterator[Goal]:
    ours = figures.total(results, COLD)
    if ours is not None:
        speed = ours.lines_a_second
        yield Goal(
            f"Cold, one core, {ours.lines:,} lines",
            f"at least {_LINES_A_SECOND:,} lines per CPU-second",
            f"{speed:,.0f}",
            speed >= _LINES_A_SECOND,
        )
    least = figures.against_the_least(results)
    if least is not None:
        wanted = f"at most {_TIMES_THE_LEAST}× its CPU time"
        yield Goal("Beside bare `ast.parse` and one walk", wanted, f"{least:.1f}×", least <= _TIMES_THE_LEAST)
    for slow, where in (
        (figures.slow_peers_by_lines(results), "for a line, trainlint on all files"),
        (figures.against_slow_peers(results), "for the same sample, where trainlint's start weighs more"),
    ):
        if slow:
            words = ", ".join(f"{name} {times:.0f}×" for name, times in slow.items())
            wanted = f"they take at least {_TIMES_FASTER}× the CPU time {where}"
            yield Goal(f"Beside {', '.join(slow)}", wanted, words, min(slow.values()) >= _TIMES_FASTER)
    ruff = figures.against_ruff(results)
    if ruff is not None:
        wanted = f"at most {_TIMES_RUFF}× its CPU time"
        yield Goal("Beside ruff `--select ALL`", wanted, f"{ruff:.1f}×", ruff <= _TIMES_RUFF)


def _warm(results: Results) -> Iterator[Goal]:
    for tree in results.growth:
        cold, warm = tree.of(FIRST), tree.of(WARM)
        if tree.files == _MANY_FILES and cold is not None and warm is not None:
            share = warm.cpu / cold.cpu
            yield Goal(
                f"Nothing changed, {tree.files:,} files",
                f"less than {_WARM_SECONDS} s by the clock and {_WARM_SHARE:.0%} of the cold run",
                f"{warm.wall:.2f} s, {share:.1%}",
                warm.wall < _WARM_SECONDS and share < _WARM_SHARE,
            )


def _one_file(results: Results) -> Iterator[Goal]:
    for name, words in ((ALONE, "One clean file"), (ALONE_WARM, "One clean file that has not changed")):
        ratios = []
        for repository in results.repositories:
            ours = repository.one_file.of(name) if repository.one_file else None
            python = repository.one_file.of(PYTHON) if repository.one_file else None
            if ours is not None and python is not None:
                ratios.append(ours.cpu / python.cpu)
        if ratios:
            wanted = f'at most {_TIMES_PYTHON}× the CPU time of `python -c "import argparse, ast, json"`'
            middle = median(ratios)
            yield Goal(words, wanted, f"{middle:.1f}×", middle <= _TIMES_PYTHON)


def _memory(results: Results) -> Iterator[Goal]:
    """Of the largest tree that has no more than `_MOST_FILES` files. It is held to the bound of so many."""
    runs = [(tree.files, tree.of(FIRST)) for tree in results.growth if tree.files <= _MOST_FILES]
    trees = [(files, first.peak) for files, first in runs if first is not None]
    if trees:
        files, peak = max(trees)
        yield Goal(
            f"Memory, cold, {files:,} files",
            f"at most {_MOST_MEMORY / 1e6:,.0f} MB for up to {_MOST_FILES:,} files",
            f"{peak / 1e6:,.0f} MB",
            peak <= _MOST_MEMORY,
        )
