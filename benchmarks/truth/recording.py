"""`python -m benchmarks.truth.recording SCRIPT OUTPUT PACKAGE ...`: runs a script on a simulated GPU, in this process.

Writes what the lines of the packages did in each step, and which of them ran. A step is one of the first
optimizer that steps; where there is none, one backward pass. The first step is left out: libraries build things in it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from benchmarks.simulated.counting import steps_told
from benchmarks.truth.record import Event, Record, as_json
from trainlint_probe.simulated.events import Log
from trainlint_probe.simulated.executed import Executed
from trainlint_probe.simulated.simulation import Simulation


def main(words: Sequence[str]) -> int:
    """Run and write; 1 where the script failed, of which the output then tells."""
    script, output, *packages = words
    torch.manual_seed(0)
    recorded = record(script, roots_of(packages))
    Path(output).write_text(json.dumps(as_json(recorded)), "utf-8")
    return 1 if recorded.error else 0


def roots_of(packages: Sequence[str]) -> dict[str, str]:
    """The directory, or the file, of each package, and its name. Raises ModuleNotFoundError."""
    found = {}
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"no package {name}", name=name)
        is_package = spec.submodule_search_locations is not None
        found[os.path.dirname(spec.origin) + os.sep if is_package else spec.origin] = name  # noqa: PTH120 - with a slash
    return found


def record(script: str, roots: dict[str, str]) -> Record:
    """What the lines below `roots` did while the script ran."""
    simulation = Simulation()
    executed = Executed(lambda path: path.startswith(tuple(roots)))
    steps = _Steps(simulation.log, executed.start)
    simulation.operators.after_backward = steps.backward
    sys.path.insert(0, str(Path(script).parent))
    sys.argv = [script]
    error = ""
    with simulation, steps_told(steps.optimizer):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            error = "" if not end.code else f"ended with {end.code}"
        except BaseException:  # noqa: BLE001 - whatever ends it, what was seen before is written
            error = traceback.format_exc()[-2000:]
    executed.stop()
    return Record(
        steps=max(0, steps.taken - 1),
        events=tuple(_events(simulation.log, roots, steps.first, steps.taken)),
        executed={_shown(path, roots): tuple(sorted(lines)) for path, lines in sorted(executed.lines.items())},
        error=error,
        packages={name: root.rstrip(os.sep) for root, name in roots.items()},
    )


class _Steps:
    """Counts steps: the optimizer's from the first one on, until then backward passes."""

    def __init__(self, log: Log, begin: Callable[[], None]) -> None:
        self.log = log
        self.begin = begin
        self.taken = 0
        self.first = 0
        """The log's number of the first step that counts."""
        self._is_optimizer = False

    def optimizer(self) -> None:
        """An optimizer has stepped."""
        if not self._is_optimizer:
            self._is_optimizer = True
            self.taken, self.first = 0, self.log.step + 1
        self._ended()

    def backward(self) -> None:
        """A backward pass has ended."""
        if not self._is_optimizer:
            self._ended()

    def _ended(self) -> None:
        self.log.step += 1
        self.taken += 1
        if self.taken == 1:
            self.first = self.log.step
            self.begin()


def _events(log: Log, roots: dict[str, str], first: int, taken: int) -> Iterator[Event]:
    last = first + taken - 1
    """The log's number of what follows the last step."""
    by_step: dict[tuple[str, int, str, str, bool], Counter[int]] = defaultdict(Counter)
    for cause, happened in log.events.items():
        place = cause.chain[0] if cause.chain else None
        if place is None or not place.path.startswith(tuple(roots)):
            continue
        kind = kind_of(cause.what.kind.value, cause.what.direction, blocking=cause.what.blocking)
        key = (_shown(place.path, roots), place.line, kind, cause.what.name, cause.in_backward)
        for step, count in happened.by_step.items():
            if first <= step < last:
                by_step[key][step] += count
    for (path, line, kind, what, in_backward), counts in sorted(by_step.items()):
        if counts:
            yield Event(path, line, kind, what, counts.total(), tuple(sorted(counts)), in_backward=in_backward)


def kind_of(kind: str, direction: str, *, blocking: bool) -> str:
    """A word for a row of the table."""
    if kind != "copy":
        return kind
    return f"{'blocking' if blocking else 'queued'} copy, {direction}"


def _shown(path: str, roots: dict[str, str]) -> str:
    """The path from the folder that the package lies in."""
    root = next(each for each in roots if path.startswith(each))
    above = os.path.dirname(root.rstrip(os.sep))  # noqa: PTH120 - a path that libraries give as text
    return os.path.relpath(path, above).replace(os.sep, "/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
