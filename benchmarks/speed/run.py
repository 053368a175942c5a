"""The whole measurement: each repository, one clean file of it, and trees of more and more files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from shutil import copyfile

from benchmarks.speed import stages, trees
from benchmarks.speed.contestants import (
    AST,
    COLD,
    FIRST,
    READ,
    RUFF_ALL,
    WARM,
    Cache,
    Contestant,
    bare_python,
    limits,
    peers,
    trainlint,
)
from benchmarks.speed.machine import machine
from benchmarks.speed.measure import Failed
from benchmarks.speed.results import Measured, Repository, Results
from benchmarks.speed.rounds import Ring, Rules

_TRAINING = b"torch"
_SMALL, _LARGE = 100, 300
"""Lines of an ordinary file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured."""

    clones: tuple[Path, ...]
    rules: Rules
    environments: tuple[Path, ...] = ()
    sample_lines: int = 10_000
    """A repository with more lines is sampled for who is slow."""
    sizes: tuple[int, ...] = ()
    """How many files the growing trees have."""
    growth_from: tuple[str, ...] = ()
    """The clones whose files they hold; all where none is named."""
    versions: tuple[tuple[str, str], ...] = ()
    """Clone → the words by which the page names its version."""


Tell = Callable[[str], None]
Report = dict[str, list[dict[str, str]]]
"""What trainlint prints as JSON."""


def measure(plan: Plan, tell: Tell, keep: Callable[[Results], None]) -> Results:
    """Measure everything; `keep` gets the results so far after each part.

    Raises NothingToMeasure, Differs where runs of trainlint do not say the same, or Failed where none ran.
    """
    everybody = (*trainlint(), *peers(plan.environments), *limits())
    results = Results(
        date=datetime.now().astimezone().date().isoformat(),
        machine=machine(),
        versions=_versions(everybody),
        repeat=plan.rules.repeat,
        sample_lines=plan.sample_lines,
        time_limit=plan.rules.limit,
    )
    with tempfile.TemporaryDirectory(prefix="trainlint-speed-") as place:
        work = Path(place)
        largest = 0
        for clone in plan.clones:
            tell(f"{clone.name}: copying")
            root = work / clone.name
            tree = trees.copied(clone, trees.files_of(clone), root / clone.name)
            trees.settle()
            if clone is plan.clones[0]:
                _warm_up(tree, everybody, root / "cache", plan.rules)
            repository = _repository(plan, tree, root, everybody, tell)
            results = results.with_repository(repository)
            if tree.lines > largest and tree.lines <= stages.MOST_LINES:
                largest = tree.lines
                tell(f"{clone.name}: stages")
                results = replace(results, stages=stages.of_tree(tree.root), stages_of=clone.name)
            trees.removed(root)
            keep(results)
        sources = [clone for clone in plan.clones if clone.name in plan.growth_from or not plan.growth_from]
        results = replace(results, growth_from=tuple(clone.name for clone in sources) if plan.sizes else ())
        for size in plan.sizes:
            tell(f"{size} files: copying")
            tree = trees.grown([(clone.name, clone) for clone in sources], size, work / f"{size} files")
            trees.settle()
            names = (FIRST, WARM, AST)
            growing = [each for each in everybody if each.name in names]
            runs = _ring(tree, work, tell).measure(growing, plan.rules)
            results = replace(results, growth=(*results.growth, Measured(size, tree.lines, runs)))
            trees.removed(tree.root)
            keep(results)
    return results


def _repository(plan: Plan, whole: trees.Tree, root: Path, everybody: Sequence[Contestant], tell: Tell) -> Repository:
    name = whole.root.name
    small = whole.lines <= plan.sample_lines
    ring = _ring(whole, root, tell)
    runs = ring.measure([each for each in everybody if small or not each.slow], plan.rules)
    report = json.loads(ring.report) if ring.report else None
    if report is None:
        raise Failed(f"trainlint did not judge {name}: {next(each.reason for each in runs if each.reason)}")
    sampled = None
    if not small:
        chosen = trees.sample(whole.files, whole.lines, plan.sample_lines)
        tree = trees.copied(whole.root, chosen, root / "sample" / name)
        once = [each for each in everybody if not each.ours or each.name == COLD]
        sampled = Measured(len(chosen), tree.lines, _ring(tree, root / "sample", tell).measure(once, plan.rules))
    return Repository(
        name=name,
        version=dict(plan.versions).get(name, ""),
        findings=len(report["findings"]),
        not_judged=len(report["failures"]),
        whole=Measured(len(whole.files), whole.lines, runs),
        sample=sampled,
        one_file=_one_file(whole, report, root, everybody, plan.rules, tell),
    )


ALONE = "trainlint-alone"
ALONE_WARM = "trainlint-alone-warm"
IN_PROJECT = "trainlint-in-project"
IN_PROJECT_WARM = "trainlint-in-project-warm"
IN_PROJECT_EDITED = "trainlint-in-project-edited"


def _one_file(
    whole: trees.Tree,
    report: Report,
    root: Path,
    everybody: Sequence[Contestant],
    rules: Rules,
    tell: Tell,
) -> Measured | None:
    """What one clean file takes, alone and in its project; None where no ordinary file is clean."""
    chosen = clean_file(whole, report)
    if chosen is None:
        return None
    alone = root / "alone"
    alone.mkdir()
    copyfile(whole.root / chosen, alone / "file.py")
    trees.settle()
    cold, warm = (next(each for each in everybody if each.name == name) for name in (COLD, WARM))
    others = [each for each in everybody if each.cache is None and each.name != READ]
    by_itself = [
        bare_python(),
        replace(cold, name=ALONE, title="trainlint"),
        replace(warm, name=ALONE_WARM, title="trainlint, nothing changed since"),
        *others,
    ]
    in_project = [
        replace(cold, name=IN_PROJECT, title="trainlint, in its project"),
        replace(warm, name=IN_PROJECT_WARM, title="trainlint, in its project, nothing changed since"),
        replace(warm, name=IN_PROJECT_EDITED, title="trainlint, in its project, edited since", cache=Cache.EDITED),
    ]
    runs = Ring(alone, ("file.py",), root / "cache-alone", tell).measure(by_itself, rules)
    lines = (whole.root / chosen).read_bytes().count(b"\n")
    runs += Ring(whole.root, (chosen,), root / "cache-one", tell).measure(in_project, rules)
    return Measured(1, lines, runs)


def clean_file(tree: trees.Tree, report: Report) -> str | None:
    """The first file of ordinary size that trains and has no finding."""
    spoken_of = {item["path"] for part in ("findings", "failures") for item in report[part]}
    for name in tree.files:
        if name not in spoken_of:
            data = (tree.root / name).read_bytes()
            if _TRAINING in data and _SMALL <= data.count(b"\n") <= _LARGE:
                return name
    return None


def _warm_up(tree: trees.Tree, everybody: Sequence[Contestant], cache: Path, rules: Rules) -> None:
    """Run everybody once on one file, so that Python's bytecode is compiled before anything is measured."""
    ring = Ring(tree.root, tree.files[:1], cache, lambda _: None)
    for contestant in everybody:
        if not contestant.absent:
            with suppress(Failed):  # measuring meets it again and reports it
                ring.once(contestant, rules.limit)


def _ring(tree: trees.Tree, work: Path, tell: Tell) -> Ring:
    return Ring(tree.root, (".",), work / "cache", lambda words: tell(f"{tree.root.name}: {words}"))


def _versions(everybody: Sequence[Contestant]) -> dict[str, str]:
    from trainlint import __version__

    found = {each.name: each.version for each in everybody if each.version and each.name != RUFF_ALL}
    return {"trainlint": __version__, **found}
