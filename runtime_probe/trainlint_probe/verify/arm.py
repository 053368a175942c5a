"""`python -m trainlint_probe.verify.arm ORDER`: one run of one version of the user's script.

It runs as it would without us, until the steps asked for were seen; then what was seen is written and the process ends
on the spot. What the script saves goes to a temporary directory. No seed is set or changed, unless the order says so.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import traceback
from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.records import replace
from trainlint_probe import script
from trainlint_probe.storage import from_json, to_json
from trainlint_probe.verify import edited
from trainlint_probe.verify.order import RESULT, Order
from trainlint_probe.verify.result import End, Trial
from trainlint_probe.watch import guard
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.lines import Lines, shown
from trainlint_probe.watch.saves import Saves
from trainlint_probe.watch.watching import Watch

if TYPE_CHECKING:
    from trainlint_probe.verify.marks import Marks


def main() -> None:
    """Run the script as the order in the file named on the command line says. Does not return."""
    order = from_json(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Order)
    Arm(order).run()


class Arm:
    """One run."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.process = os.getpid()
        self.marks: Marks | None = None
        """Once the script has imported torch."""
        self.opened: Set[str] = frozenset()

    def run(self) -> None:
        """Run the script to the end of the window, or to its own. Does not return."""
        order = self.order
        sources = {path: Path(text).read_bytes() for path, text in order.edits.items()}
        self.opened = edited.install(sources)
        try:
            found = script.find(order.script, module=order.module)
        except script.NoScript as error:
            self.finish(Trial(End.FAILED, failure=str(error)))
            return
        imports = Imports()
        watch = Watch(found.directory, str(Path.cwd()))
        saves = Saves(Path(order.output) / "saved", watch)
        saves.install(imports)
        ours = os.path.realpath(order.output)
        guard.install(lambda path: path.startswith(ours), saves.new, self.stop_at)
        imports.when("torch", self.watch)
        if order.seed is not None:
            _seed(order.seed, imports)
        try:
            script.run(found, order.arguments)
        except SystemExit as end:
            failed = end.code not in (None, 0)
            self.finish(Trial(End.FAILED, failure=_exit_in_words(end)) if failed else self.read(End.TOO_SHORT))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the script's own
            traceback.print_exception(error)
            self.finish(Trial(End.FAILED, failure=_error_in_words(error, watch.ledger.lines, watch.directory)))
        else:
            self.finish(self.read(End.TOO_SHORT))

    def watch(self) -> None:
        """Begin to watch, now that the script has imported torch."""
        from trainlint_probe.verify.marks import Marks

        self.marks = Marks(self.order.warmup, self.order.steps, self.reached)
        self.marks.install()

    def reached(self) -> None:
        """The window has closed."""
        self.finish(self.read(End.WINDOW_CLOSED))

    def read(self, end: End) -> Trial:
        """What was seen until now. What fails in here is no fault of the script, and must not look like one."""
        try:
            trial = Trial(end) if self.marks is None else self.marks.read(end)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to the parent
            traceback.print_exception(error)
            return Trial(End.STOPPED, failure=f"trainlint itself failed ({_words_of(error)}); please report this")
        return replace(trial, loaded=tuple(sorted(self.opened)))

    def stop_at(self, path: str) -> None:
        """The script is about to overwrite or remove a checkpoint that was there before."""
        what = f"the script was stopped before it overwrote or removed {path}, which was there before"
        self.finish(Trial(End.STOPPED, failure=what))

    def finish(self, trial: Trial) -> None:
        """Write what was seen and end the process, past whatever the script would do as it ends."""
        if os.getpid() != self.process:
            return  # a worker that was forked steps an optimizer of its own
        path = Path(self.order.output) / RESULT
        path.with_suffix(".part").write_text(json.dumps(to_json(trial)), encoding="utf-8")
        path.with_suffix(".part").replace(path)
        for child in multiprocessing.active_children():
            child.terminate()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # an exception could be caught, and the script would train on


def _seed(seed: int, imports: Imports) -> None:
    """Start the usual sources of random numbers from a seed, each as soon as the script has imported it."""
    random.seed(seed)
    imports.when("numpy", lambda: sys.modules["numpy"].random.seed(seed % 2**32))
    imports.when("torch", lambda: sys.modules["torch"].manual_seed(seed))


def _exit_in_words(end: SystemExit) -> str:
    return f"it ended with exit code {end.code}" if isinstance(end.code, int) else f"it ended with: {end.code}"


def _error_in_words(error: BaseException, lines: Lines, directory: str) -> str:
    """What Python says of an error, and the last of the user's lines on the way to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if lines.is_users(frame.filename)]
    if not frames:
        return _words_of(error)
    return f"{_words_of(error)} ({shown(frames[-1].filename, directory)}:{frames[-1].lineno})"


def _words_of(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


if __name__ == "__main__":
    main()
