"""`python -m benchmarks.truth.recording SCRIPT OUTPUT`: runs a script on a simulated GPU, in this process.

Writes what the lines of its packages did in each step, and which of them ran. A step is one of the first optimizer
that steps; where there is none, one backward pass. The first step is left out: libraries build things in it. Where the
script names a function that takes a step of an environment, its calls are counted as well. A script for a repository
runs in a copy of that.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import runpy
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from packaging.requirements import Requirement

from benchmarks.simulated.counting import steps_told
from benchmarks.truth.compare import IN_EACH_STEP
from benchmarks.truth.counters import EnvironmentSteps, Steps, calls_told
from benchmarks.truth.facts import Facts, growth
from benchmarks.truth.queued import Queue
from benchmarks.truth.record import ENVIRONMENT_STEP, STEP, Event, Record, as_json
from benchmarks.truth.scripts_of import Script, read_script
from trainlint_probe.simulated.events import Cause
from trainlint_probe.simulated.executed import Executed
from trainlint_probe.simulated.simulation import Simulation


def main(words: Sequence[str]) -> int:
    """Run and write; 1 where the script failed, of which the output then tells."""
    script = read_script(Path(words[0]))
    torch.manual_seed(0)
    roots = folders_of(script.packages) if script.repository else roots_of(script.packages)
    recorded = record(str(script.path), roots, script.per, versions_of(script))
    Path(words[1]).write_text(json.dumps(as_json(recorded)), "utf-8")
    return 1 if any(each.error for each in recorded) else 0


def roots_of(packages: Sequence[str]) -> dict[str, str]:
    """The directory, or the file, of each package, and its name. Raises ModuleNotFoundError."""
    found = {}
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"no package {name}", name=name)
        # A package may lack an `__init__.py`: then it has a place and no origin.
        place = (
            f"{next(iter(spec.submodule_search_locations))}{os.sep}" if spec.submodule_search_locations else spec.origin
        )
        if place is None:
            raise ModuleNotFoundError(f"{name} has no file", name=name)
        found[place] = name
    return found


def folders_of(packages: Sequence[str]) -> dict[str, str]:
    """Likewise, of folders of the repository in whose copy this runs; each begins with the repository's name."""
    return {f"{Path.cwd().parent / name}{os.sep}": name for name in packages}


def versions_of(script: Script) -> dict[str, str]:
    """The commit of the repository, and the versions that are installed of the requirements and of PyTorch."""
    repository, _, commit = script.repository.partition("@")
    names = [Requirement(each).name for each in script.requires]
    versions = {name: importlib.metadata.version(name) for name in (*names, "torch")}
    return {repository: commit[:8], **versions} if repository else versions


def record(
    script: str, roots: Mapping[str, str], per: str = "", versions: Mapping[str, str] | None = None
) -> tuple[Record, ...]:
    """What the lines below `roots` did while the script ran: by step, and by call of the function `per`."""
    simulation = Simulation()
    log = simulation.log

    def is_counted(path: str) -> bool:
        return path.startswith(tuple(roots))

    executed, facts, queue = Executed(is_counted), Facts(log, is_counted), Queue(simulation.operators, is_counted)
    worlds = EnvironmentSteps(log)
    live: list[int] = []
    begin = [executed.start, worlds.start, queue.start]
    steps = Steps(log, begin, lambda: live.append(simulation.places.memory[0].live))
    simulation.operators.after_backward = steps.backward
    sys.path.insert(0, str(Path(script).parent))
    sys.argv = [script]
    error = ""
    with calls_told(per, worlds.stepped), simulation, facts.collected(), steps_told(steps.optimizer):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            error = "" if not end.code else f"ended with {end.code}"
        except BaseException:  # noqa: BLE001 - whatever ends it, what was seen before is written
            error = traceback.format_exc()[-2000:]
    executed.stop()
    ran = {_shown(path, roots): tuple(sorted(lines)) for path, lines in sorted(executed.lines.items())}
    places = {name: root.rstrip(os.sep) for root, name in roots.items()}
    by_step = {cause: happened.by_step for cause, happened in log.events.items()}
    window = range(steps.first, steps.first + steps.taken - 1)
    in_steps = tuple(_events(by_step, roots, window))
    true = tuple(facts.found(window, lambda path: _shown(path, roots)))
    queued = queue.found(lambda path: _shown(path, roots))
    grows = growth(live[-steps.taken :], IN_EACH_STEP)
    found = Record(len(window), STEP, in_steps, ran, error, places, versions or {}, true, grows, queued)
    if not per:
        return (found,)
    unmet = "" if worlds.taken else f"after the first step {per} was not called"
    in_worlds = tuple(_events(worlds.counts, roots, range(worlds.taken)))
    return found, replace(
        found, steps=worlds.taken, unit=ENVIRONMENT_STEP, events=in_worlds, error=error or unmet, facts=(), growth=0
    )


def _events(counts: Mapping[Cause, Counter[int]], roots: Mapping[str, str], window: range) -> Iterator[Event]:
    by_step: dict[tuple[str, int, str, str, bool], Counter[int]] = defaultdict(Counter)
    for cause, happened in counts.items():
        place = cause.chain[0] if cause.chain else None
        if place is None or not place.path.startswith(tuple(roots)):
            continue
        kind = kind_of(cause.what.kind.value, cause.what.direction, blocking=cause.what.blocking)
        key = (_shown(place.path, roots), place.line, kind, cause.what.name, cause.in_backward)
        for step, count in happened.items():
            if step in window:
                by_step[key][step] += count
    for (path, line, kind, what, in_backward), found in sorted(by_step.items()):
        if found:
            yield Event(path, line, kind, what, found.total(), tuple(sorted(found)), in_backward=in_backward)


def kind_of(kind: str, direction: str, *, blocking: bool) -> str:
    """A word for a row of the table."""
    if kind != "copy":
        return kind
    return f"{'blocking' if blocking else 'queued'} copy, {direction}"


def _shown(path: str, roots: Mapping[str, str]) -> str:
    """The path from the folder that the package lies in."""
    root = next(each for each in roots if path.startswith(each))
    above = os.path.dirname(root.rstrip(os.sep))  # noqa: PTH120 - a path that libraries give as text
    return os.path.relpath(path, above).replace(os.sep, "/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
