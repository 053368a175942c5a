"""CPU seconds of a cold run by stage: `python -m benchmarks.speed.stages PATH...` prints them as JSON.

The functions that begin a stage are wrapped by clocks. A stage's time is its own: what another stage does meanwhile,
such as the walk that linking asks for, counts there. Clocks cost a little; read shares, not seconds.
"""

from __future__ import annotations

import functools
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST_LINES = 600_000
"""The stages of the largest repository up to this size are looked at: in a larger one the shares are no others."""

STAGES = {
    "starting and finding files": (),
    "reading and the gate": ("trainlint.engine.read:read_bytes", "trainlint.engine.read:may_hold_findings"),
    "who takes part in linking": ("trainlint.engine.index.participants:find_participants",),
    "`ast.parse`": ("trainlint.engine.parsing:parse",),
    "outline": ("trainlint.analysis.syntax.walk:outline",),
    "summaries for linking": ("trainlint.analysis.project.summarise:summarise",),
    "linking": ("trainlint.analysis.project.linking:link",),
    "the abstract run": ("trainlint.interpreter.operations:execute_project",),
    "rules and the facts they ask for": ("trainlint.engine.judge:judge",),
    "the report": ("trainlint.report.formats.json:render",),
}
"""Stage → the functions that begin it. What stands in none of them falls to the first stage."""

_FIRST = next(iter(STAGES))


class Clocks:
    """Own time of each stage, on one stack."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._stack = [_FIRST]
        self._since = 0.0

    def enter(self, stage: str) -> None:
        """From now on, time is this stage's."""
        self._book()
        self._stack.append(stage)

    def leave(self) -> None:
        """From now on, time is that of the stage before."""
        self._book()
        self._stack.pop()

    def _book(self) -> None:
        # `process_time` counts from the start of the process.
        now = time.process_time()
        self.seconds[self._stack[-1]] += now - self._since
        self._since = now

    def around(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        """A function that books its time to a stage."""

        @functools.wraps(function)
        def clocked(*arguments: Any, **named: Any) -> Any:
            self.enter(stage)
            try:
                return function(*arguments, **named)
            finally:
                self.leave()

        return clocked


def of_tree(directory: Path) -> dict[str, float]:
    """The stages of a cold run over a directory, measured in a process of its own.

    Raises CalledProcessError where that fails.
    """
    command = [sys.executable, "-m", "benchmarks.speed.stages", str(directory)]
    root = Path(__file__).resolve().parents[2]
    seconds: dict[str, float] = json.loads(subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True).stdout)
    return seconds


def main(paths: list[str]) -> int:
    """Judge the paths under clocks and print what the stages took."""
    from contextlib import redirect_stdout
    from io import StringIO

    clocks = Clocks()
    for stage, functions in STAGES.items():
        for name in functions:
            _wrap(name, stage, clocks)
    from trainlint.cli import main as trainlint

    with redirect_stdout(StringIO()):
        trainlint(["check", "--isolated", "--no-cache", "-j1", "-q", "--output-format", "json", *paths])
    clocks.enter(_FIRST)
    sys.stdout.write(json.dumps(clocks.seconds) + "\n")
    return 0


def _wrap(name: str, stage: str, clocks: Clocks) -> None:
    """Put a clock around a function, under whatever name modules have imported it."""
    place, _, attribute = name.partition(":")
    function = getattr(importlib.import_module(place), attribute)
    clocked = clocks.around(function, stage)
    for module in [module for key, module in sys.modules.items() if key.startswith("trainlint")]:
        for known, value in list(vars(module).items()):
            if value is function:
                setattr(module, known, clocked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
