"""`python -m trainlint_probe.verify.arm ORDER`: one run of one version of the user's script.

It runs as it would without us, until the steps asked for were seen; then what was seen is written and the process ends
on the spot. What the script saves goes to a temporary directory. No seed is set or changed, unless the order says so.
"""

from __future__ import annotations

import atexit
import json
import mmap
import os
import random
import sys
import threading
import time
import traceback
from collections.abc import Sequence, Set
from dataclasses import replace
from multiprocessing import util
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from trainlint.evidence_json import from_json, to_json
from trainlint_probe import child_processes, script
from trainlint_probe.own_rank import rank_and_world
from trainlint_probe.processes import end_at_once, is_alive
from trainlint_probe.verify import edited, reached
from trainlint_probe.verify.order import RunRequest, result_of
from trainlint_probe.verify.result import End, Trial
from trainlint_probe.verify.turns import Turns, end_without_parent
from trainlint_probe.watch.imported import Imports, loaded
from trainlint_probe.watch.saving import guard, renames
from trainlint_probe.watch.saving.saves import Saves
from trainlint_probe.watch.watching import Watch
from trainlint_probe.wording.errors import exit_in_words, words_of, words_with_line

if TYPE_CHECKING:
    from trainlint_probe.verify.marks import Marks

_PATIENCE = 20.0
"""Seconds that a rank waits for the others to have seen the same."""

_HEAP_STEP = 16
"""Bytes: to so much the addresses on the heap are aligned."""

_JOINING = "--joining"


def main() -> None:
    """Run the script as the order in the file named on the command line says. Does not return.

    After `--joining FILE` stands another script, which that of the order has started.
    """
    if sys.argv[1] != _JOINING:
        Arm(_order(sys.argv[1])).run()
        return
    _, _, file, started, *arguments = sys.argv
    Arm(_order(file)).join()
    script.run(script.find(started, module=False), arguments)


def join(file: str) -> None:
    """Take part in the run of an order, as a process that its script has started."""
    order, place = _order(file), place_of_script(sys.orig_argv)
    if place is not None and os.path.realpath(sys.orig_argv[place]) in order.edits:
        # Python reads the script that it is started with past all that could put another text in its place.
        before, after = sys.orig_argv[1:place], sys.orig_argv[place:]
        ours = ["-m", "trainlint_probe.verify.arm", _JOINING, file]
        os.execv(sys.executable, [sys.executable, *before, *ours, *after])  # noqa: S606 - the same Python, by its path
    Arm(order).join()


def _order(file: str) -> RunRequest:
    return from_json(json.loads(Path(file).read_text(encoding="utf-8")), RunRequest)


def place_of_script(words: Sequence[str]) -> int | None:
    """Where the script stands among the words that Python was started with; None where it runs no file."""
    place = 1
    while place < len(words) and words[place].startswith("-"):
        if words[place] in ("-m", "-c", "-"):
            return None
        place += 2 if words[place] in ("-W", "-X") else 1
    return place if place < len(words) else None


class Arm:
    """One run, in one of its processes."""

    def __init__(self, order: RunRequest) -> None:
        self.order = order
        self.process = os.getpid()
        self.marks: Marks | None = None
        """Once the script has imported torch."""
        self.opened: Set[str] = frozenset()
        self.places = str(Path(order.output) / "places")
        """The file that tells which places were reached."""
        self.joins = False
        """Whether the script has started this process: it takes no turns of its own."""
        self.aside = _set_aside(order.pages_aside) if order.pages_aside else None
        """Memory that is never read or written: what follows lies behind it."""

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
        self.order = replace(order, script_directory=found.directory)
        child_processes.trial_to_children(self.order)
        watch = self.install()
        try:
            script.run(found, order.arguments)
        except SystemExit as end:
            failed = end.code not in (None, 0)
            self.finish(Trial(End.FAILED, failure=exit_in_words(end.code)) if failed else self.read(End.TOO_SHORT))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the script's own
            traceback.print_exception(error)
            self.finish(Trial(End.FAILED, failure=words_with_line(error, watch.ledger.lines, watch.directory)))
        else:
            self.finish(self.read(End.TOO_SHORT))

    def join(self) -> None:
        """Take part in a run as a process that the script has started: a rank, or none."""
        self.joins = True
        sources = {path: Path(text).read_bytes() for path, text in self.order.edits.items()}
        self.opened = edited.install(sources)
        watch = self.install()
        shown = sys.excepthook

        def failed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            shown(kind, error, trace)
            if self.has_trained() or self.rank_and_world()[1] > 1:  # else it is a helper, whom the script may not need
                words = words_with_line(error.with_traceback(trace), watch.ledger.lines, watch.directory)
                self.finish(Trial(End.FAILED, failure=words))

        def ended() -> None:
            if self.has_trained():
                self.finish(self.read(End.TOO_SHORT))

        sys.excepthook = failed
        atexit.register(ended)
        util.Finalize(None, ended, exitpriority=0)  # processes of multiprocessing end without atexit

    def install(self) -> Watch:
        """Begin to watch and to guard."""
        order = self.order
        if order.parent:
            threading.Thread(target=self.end_with_the_parent, name="trainlint", daemon=True).start()
        imports = Imports()
        watch = Watch(order.script_directory, str(Path.cwd()))
        saves = Saves(Path(order.output) / "saved", watch, order.overlaid)
        saves.install(imports)
        if order.overlaid:
            renames.install()
        guard.install((order.output, *order.overlaid), saves.new, self.stop_at)
        imports.when("torch", self.watch)
        if order.seed is not None:
            _seed(order.seed, imports)
        if order.places:
            reached.install(order.places, self.places)
        return watch

    def watch(self) -> None:
        """Begin to watch, now that the script has imported torch."""
        from trainlint_probe.verify.marks import Marks

        order = self.order
        takes_turns = order.takes_turns and not self.joins
        turns = Turns(Path(order.output), order.steps + order.more_steps) if takes_turns else None
        self.marks = Marks(order.warmup, order.steps, self.reached, turns, order.more_steps)
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
            return Trial(End.STOPPED, failure=f"trainlint itself failed ({words_of(error)}); please report this")
        places = reached.reached_places(self.order.places, Path(self.places)) if self.order.places else None
        return replace(trial, loaded=tuple(sorted(self.opened)), reached=places)

    def end_with_the_parent(self) -> None:
        """Nobody waits for what this process would still find out: the parent was ended past its own clean-up."""
        while is_alive(self.order.parent):
            time.sleep(0.5)
        end_without_parent()

    def has_trained(self) -> bool:
        """Whether an optimizer has stepped in this process."""
        return self.marks is not None and self.marks.has_begun

    def rank_and_world(self) -> tuple[int, int]:
        """This process among those that train together. What the environment says holds where a launcher has set it."""
        distributed = loaded("torch.distributed")
        is_ready = distributed is not None and distributed.is_available() and distributed.is_initialized()
        is_launched = self.order.processes > 1 or "TORCHELASTIC_RUN_ID" in os.environ
        return rank_and_world() if is_ready or is_launched else (0, 1)

    def stop_at(self, path: str) -> None:
        """The script is about to overwrite or remove a checkpoint that was there before."""
        what = f"the script was stopped before it overwrote or removed {path}, which was there before"
        self.finish(Trial(End.STOPPED, failure=what))

    def finish(self, trial: Trial) -> None:
        """Write what was seen and end the process, past whatever the script would do as it ends."""
        if os.getpid() != self.process:
            return  # a worker that was forked steps an optimizer of its own
        directory = Path(self.order.output)
        rank, ranks = self.rank_and_world()
        has_come_to_its_end = trial.end in (End.WINDOW_CLOSED, End.TOO_SHORT)
        is_no_rank = self.order.processes == 1 and not self.has_trained()
        if has_come_to_its_end and is_no_rank and any(directory.glob(result_of("*"))):
            end_at_once(0)  # those that it has started have said what there is to say
        path = directory / result_of(rank)
        path.with_suffix(".part").write_text(json.dumps(to_json(replace(trial, ranks=ranks))), encoding="utf-8")
        path.with_suffix(".part").replace(path)
        if has_come_to_its_end:
            self.wait_for(ranks, directory)
        # Where it failed, the launcher ends the other ranks, which would wait for this one.
        end_at_once(0 if has_come_to_its_end else 1)

    def wait_for(self, ranks: int, directory: Path) -> None:
        """A rank that is gone may take with it what it had not yet sent to the others."""
        limit = time.monotonic() + _PATIENCE
        while time.monotonic() < limit:
            if all((directory / result_of(rank)).exists() for rank in range(ranks)):
                return
            time.sleep(0.02)


def _set_aside(pages: int) -> tuple[mmap.mmap, bytearray]:
    """Large pieces of memory are mapped one by one, and small ones lie on the heap."""
    return mmap.mmap(-1, pages * mmap.PAGESIZE), bytearray(_HEAP_STEP * pages)


def _seed(seed: int, imports: Imports) -> None:
    """Start the usual sources of random numbers from a seed, each as soon as the script has imported it."""
    random.seed(seed)
    imports.when("numpy", lambda: sys.modules["numpy"].random.seed(seed % 2**32))
    imports.when("torch", lambda: sys.modules["torch"].manual_seed(seed))


if __name__ == "__main__":
    main()
