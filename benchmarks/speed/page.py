"""The generated parts of docs/performance.md: everything that is a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.markers import between_markers
from benchmarks.speed import figures, plots
from benchmarks.speed.contestants import (
    AST,
    COLD,
    FIRST,
    PYTHON,
    RUFF_ALL,
    TWO_CORES,
    UNHURRIED,
    WARM,
    bare_python,
    limits,
    peers,
    trainlint,
)
from benchmarks.speed.goals import goals
from benchmarks.speed.results import Measured, Repository, Results, Runs
from benchmarks.speed.run import ALONE, ALONE_WARM, IN_PROJECT, IN_PROJECT_EDITED, IN_PROJECT_WARM
from trainlint.analysis.project.neighbours import MOST_BYTES as MOST_LINKED
from trainlint.bounded import SOURCE_BYTES
from trainlint.cache.store import MOST_BYTES, MOST_DAYS
from trainlint.config import Config
from trainlint.engine.pool.model_store import KEPT_IN_FULL, MOST_KEPT
from trainlint.engine.workers import _MOST_WORKERS, WORTH_A_WORKER

TITLES = {each.name: each.title for each in (*trainlint(), *peers(()), *limits(), bare_python())} | {
    ALONE: "trainlint, the file by itself",
    ALONE_WARM: "trainlint, the file by itself, nothing changed since",
    IN_PROJECT: "trainlint, the file in its project",
    IN_PROJECT_WARM: "trainlint, the file in its project, nothing changed since",
    IN_PROJECT_EDITED: "trainlint, the file in its project, edited since",
}
"""What the page calls a contestant."""
_NONE = "–"


def write(results: Results, page: Path) -> None:
    """Write the generated parts of a page between their markers, and the pictures beside it in `images/`.

    Raises ValueError where a part has no place in the page.
    """
    text = page.read_text(encoding="utf-8")
    for name, part in PARTS.items():
        text = between_markers(text, name, part(results))
    page.write_text(text, encoding="utf-8", newline="\n")
    plots.write(results, page.parent / "images")


def as_text(results: Results) -> str:
    """All generated parts, one after the other."""
    return "\n\n".join(f"## {name}\n\n{part(results)}" for name, part in PARTS.items()) + "\n"


def _measured(results: Results) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    compared = figures.reports_compared(results, frozenset(_OURS))
    rounds = "Everybody once"
    if results.repeat > 1:
        rounds += (
            f", then everybody again, up to {results.repeat} times where that does not take too long; the median counts"
        )
    return (
        f"{results.date}, {results.machine}. Versions: {versions}. {rounds}. {compared} runs of trainlint "
        "are in these figures; those on the same files printed the same report, byte by byte, or there would be no "
        "figures."
    )


_OURS = (COLD, FIRST, WARM, TWO_CORES, UNHURRIED, ALONE, ALONE_WARM, IN_PROJECT, IN_PROJECT_WARM, IN_PROJECT_EDITED)


def _goals(results: Results) -> str:
    rows = [(goal.what, goal.wanted, goal.measured, "yes" if goal.reached else "no") for goal in goals(results)]
    return table(("", "goal", "measured", "reached"), rows, right=False)


def _repositories(results: Results) -> str:
    header = (
        "repository", "files", "lines", "cold", "lines per CPU-second", "× bare `ast`", "× ruff `ALL`",
        "nothing changed", "sooner on two cores, by the clock", "memory", "findings",
    )  # fmt: skip
    return table(header, [tuple(_repository_row(repository)) for repository in results.repositories])


def _repository_row(repository: Repository) -> Iterator[str]:
    whole = repository.whole
    cold, warm, two = (whole.of(name) for name in (COLD, WARM, TWO_CORES))
    yield f"{repository.name} {repository.version}".strip()
    yield f"{whole.files:,}"
    yield f"{whole.lines:,}"
    yield _seconds(cold)
    yield f"{whole.lines / cold.cpu:,.0f}" if cold else _NONE
    yield _times(_over(cold, whole.of(AST)))
    yield _times(_over(cold, whole.of(RUFF_ALL)))
    yield f"{_seconds(warm)} ({warm.cpu / cold.cpu:.1%})" if warm and cold else _NONE
    yield f"{cold.wall / two.wall:.2f}×" if cold and two else _NONE
    yield _megabytes(max(runs.peak for runs in (cold, two) if runs)) if cold or two else _NONE
    yield f"{repository.findings:,}"


def _over(one: Runs | None, other: Runs | None) -> float | None:
    return one.cpu / other.cpu if one and other else None


def _peers(results: Results) -> str:
    names = [runs.contestant for runs in results.repositories[0].sampled.runs]
    order = [COLD, *(name for name in names if name not in _OURS)]
    header = (
        "CPU time for the same files",
        *(repository.name for repository in results.repositories),
        "lines per CPU-second",
        "memory",
    )
    trees = [repository.sampled for repository in results.repositories]
    rows = [(TITLES[name], *(_compared(tree, name) for tree in trees), *_in_all(trees, name)) for name in order]
    sampled = [
        f"{repository.name} ({repository.sample.lines:,} lines in {repository.sample.files} files)"
        for repository in results.repositories
        if repository.sample
    ]
    notes = [table(header, rows)]
    if sampled:
        notes.append(
            f"Judged were, by all alike, every n-th file of {_listed(sampled)}, since some would take hours for the "
            "whole; of the others all files."
        )
    missing = [
        f"- {TITLES[runs.contestant]}, {repository.name}: {runs.reason}"
        for repository in results.repositories
        for runs in repository.sampled.runs
        if runs.reason
    ]
    if missing:
        notes.append("Without a figure:\n\n" + "\n".join(missing))
    return "\n\n".join(notes)


def _compared(tree: Measured, name: str) -> str:
    times = figures.times_trainlint(tree, name)
    cold = tree.of(COLD)
    if name == COLD and cold is not None:
        return f"{cold.cpu:.2f} s"
    return _times(times)


def _in_all(trees: Sequence[Measured], name: str) -> tuple[str, str]:
    ran = [(tree.lines, runs) for tree in trees if (runs := tree.of(name)) is not None]
    if not ran:
        return _NONE, _NONE
    speeds = median(lines / runs.cpu for lines, runs in ran)
    return f"{speeds:,.0f}", _megabytes(max(runs.peak for _, runs in ran))


def _one_file(results: Results) -> str:
    measured = [(repository.name, repository.one_file) for repository in results.repositories if repository.one_file]
    if not measured:
        return "No repository has an ordinary file without findings."
    first = [PYTHON, ALONE, ALONE_WARM, IN_PROJECT, IN_PROJECT_WARM, IN_PROJECT_EDITED]
    took_part = [runs.contestant for runs in measured[0][1].runs]
    order = sorted(took_part, key=lambda name: first.index(name) if name in first else len(first))
    header = ("CPU milliseconds", *(f"{name} ({tree.lines} lines)" for name, tree in measured))
    return table(header, [(TITLES[name], *(_milliseconds(tree, name) for _, tree in measured)) for name in order])


def _milliseconds(tree: Measured, name: str) -> str:
    runs, python = tree.of(name), tree.of(PYTHON)
    if runs is None or python is None:
        return _NONE
    return f"{runs.cpu * 1000:.0f}" if name == PYTHON else f"{runs.cpu * 1000:.0f} ({_times(runs.cpu / python.cpu)})"


def _growth(results: Results) -> str:
    if not results.growth:
        return "Not measured."
    header = (
        "files",
        "lines",
        "cold: CPU",
        "cold: clock",
        "lines per CPU-second",
        "bare `ast`: CPU",
        "nothing changed: CPU",
        "nothing changed: clock",
        "cold: memory",
        "nothing changed: memory",
    )
    rows = []
    for tree in results.growth:
        cold, warm, bare = (tree.of(name) for name in (FIRST, WARM, AST))
        speed = f"{tree.lines / cold.cpu:,.0f}" if cold else _NONE
        clock = f"{cold.wall:.2f} s" if cold else _NONE
        again = f"{_seconds(warm)} ({warm.cpu / cold.cpu:.1%})" if warm and cold else _NONE
        rows.append(
            (
                f"{tree.files:,}",
                f"{tree.lines:,}",
                _seconds(cold),
                clock,
                speed,
                _seconds(bare),
                again,
                f"{warm.wall:.2f} s" if warm else _NONE,
                _megabytes(cold.peak) if cold else _NONE,
                _megabytes(warm.peak) if warm else _NONE,
            )
        )
    made = (
        f"Copies of the files of {_listed(results.growth_from)}, no two alike; the cold run fills the cache as well. "
        "One process does all the work, so its peak is the memory of the whole program."
    )
    return f"{table(header, rows)}\n\n{made}"


def _stages(results: Results) -> str:
    whole = sum(results.stages.values())
    if not whole:
        return "Not measured."
    rows = [(stage, f"{seconds:.2f} s", f"{seconds / whole:.0%}") for stage, seconds in results.stages.items()]
    made = f"A cold run over {results.stages_of}, {whole:.1f} CPU-seconds under clocks."
    return f"{table(('stage', 'CPU', 'share'), rows)}\n\n{made}"


def _bounds(_: Results) -> str:
    rows = (
        ("one file", f"{SOURCE_BYTES // 1_000_000} MB of source", "a larger one is data; it is reported, not judged"),
        (
            "one file",
            f"{Config().file_time_limit:g} s of CPU time (`file-time-limit`)",
            "generated code can take any time; what takes longer is reported, not waited for",
        ),
        (
            "all processes together",
            f"models of {MOST_KEPT // 1_000_000} MB of source, fewer in runs over more than "
            f"{KEPT_IN_FULL // 1_000_000} MB",
            "kept from linking to judging; files beyond that are parsed twice",
        ),
        (
            "files linked together",
            f"{MOST_LINKED // 1_000_000} MB of source",
            "more is no project but a collection of packages, which are linked one by one",
        ),
        (
            "a further process",
            f"for each {WORTH_A_WORKER // 1000} kB of source, {_MOST_WORKERS} at most",
            "less takes no longer than starting a process and feeding it",
        ),
        (
            "the cache",
            f"{MOST_BYTES // 1_000_000} MB, {MOST_DAYS} days without use",
            "what was not used for the longest time goes first",
        ),
    )
    return table(("", "bound", "why"), rows, right=False)


PARTS: dict[str, Callable[[Results], str]] = {
    "measured": _measured,
    "goals": _goals,
    "repositories": _repositories,
    "peers": _peers,
    "one-file": _one_file,
    "growth": _growth,
    "stages": _stages,
    "bounds": _bounds,
}
"""The parts of the page by the names of their markers."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: bool = True) -> str:
    """A table in Markdown; all columns but the first are flushed right, where they hold numbers."""
    rule = ("---", *("---:" if right else "---" for _ in header[1:]))
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def _times(value: float | None) -> str:
    if value is None:
        return _NONE
    return f"{value:.0f}×" if value >= 10 else f"{value:.1f}×" if value >= 1 else f"{value:.2f}×"


def _seconds(runs: Runs | None) -> str:
    return f"{runs.cpu:.2f} s" if runs else _NONE


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
