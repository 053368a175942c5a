"""Watches the process that it stands in, writes the evidence, and ends the process when enough was seen."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainlint.evidence import Run
from trainlint.records import replace
from trainlint_probe import environment
from trainlint_probe.orders import SAFETY_STOP, TIMED_OUT, Orders
from trainlint_probe.storage import write_run
from trainlint_probe.watch import guard
from trainlint_probe.watch.imported import Imports, loaded
from trainlint_probe.watch.saves import Saves
from trainlint_probe.watch.steps import Clock, steps_of
from trainlint_probe.watch.watching import Watch

if TYPE_CHECKING:
    from trainlint_probe.watch.hooks import Hooks

FAILURE = "failure"
"""The file in which a fault of the probe itself is told."""
_ENDED = "ended.rank"


class Recorder:
    """One for each process that may train."""

    def __init__(self, orders: Orders, *, started_by_the_script: bool) -> None:
        """`started_by_the_script`: this is not the process that the parent started, but one that the script did."""
        self.orders = orders
        self.is_child = started_by_the_script
        self.process = os.getpid()
        self.watch = Watch(orders.script_directory, orders.directory)
        self.clock = Clock(
            orders,
            self.watch,
            closed=self._window_closed,
            ranks=lambda: rank_and_world()[1],
            by_our_fault=self._by_our_fault,
        )
        self.saves = Saves(Path(orders.output) / "saved", self.watch)
        self.imports = Imports()
        self.hooks: Hooks | None = None
        """There once the script has imported torch."""
        self.began = time.perf_counter()
        self.lock = threading.Lock()
        self.run: Run | None = None
        """What was written."""

    def start(self) -> None:
        """Wait for torch to be imported, guard the files, and keep the time."""
        self.saves.install(self.imports)
        guard.install(self._is_ours, self.saves.new, self._safety_stop)
        self.imports.when("torch", self._install)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        threading.Thread(target=self._keep_time, name="trainlint", daemon=True).start()

    def _forked(self) -> None:
        """This is a copy of the process that was watched: a loader's worker, or a rank that the script has forked.

        What was counted so far is the other's. Time is kept by the others alone: a fork has no thread but one.
        """
        self.process = os.getpid()
        self.is_child = True
        self.lock = threading.Lock()
        self.run = None
        self.clock.forget()

    def _install(self) -> None:
        from trainlint_probe.watch.hooks import Hooks

        self.hooks = Hooks(self.orders, self.watch, self.clock, self.imports)
        self.hooks.install()

    def finish(self, outcome: str, exit_code: int | None = None) -> bool:
        """Write the evidence of what was seen until now. False where it has been written already."""
        with self.lock:
            if self.run is not None or os.getpid() != self.process:
                return False
            self.run = self._evidence(outcome, exit_code)
            self._write(self.run)
            return True

    def end(self, exit_code: int) -> None:
        """End the process at once, and the worker processes that it started.

        Not by an exception: a script may catch it, go on, or save what it has in a `finally`.
        """
        if self.run is not None:
            Path(self.orders.output, f"{_ENDED}{self.run.rank}.of{self.run.world_size}").touch()
        for child in multiprocessing.active_children():
            child.terminate()
        self.saves.tidy()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                continue  # closed, or never there
        os._exit(exit_code)

    def _window_closed(self) -> None:
        self.finish("window closed")
        if self.hooks is not None and self.hooks.look_deeper(self._looked_deeper):
            return
        self.end(0)

    def _looked_deeper(self, changes: dict[str, Any]) -> None:
        """All was seen that was to be seen."""
        run = self.run
        if run is not None:
            self._write(replace(run, **changes))
        self.end(0)

    def _by_our_fault(self, act: Callable[[], object]) -> None:
        """What fails in here is no fault of the script, and must not look like one."""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to the parent
            if self.run is not None:
                said = f"{type(error).__name__}: {error}"
                note = f"The look after the window failed ({said}): what it was to add is missing."
                self._write(replace(self.run, notes=(*self.run.notes, note)))
                self.end(0)
            Path(self.orders.output, FAILURE).write_text(traceback.format_exc(), encoding="utf-8")
            self.end(1)

    def _evidence(self, outcome: str, exit_code: int | None) -> Run:
        rank, ranks = rank_and_world()
        clock = self.clock.best()
        run = Run(
            command=self.orders.command,
            environment=environment.collect(),
            outcome=outcome,
            rank=rank,
            world_size=ranks,
            redirected=tuple(self.saves.twins.meant),
            exit_code=exit_code,
        )
        if clock is not None and self.hooks is not None:
            steps = steps_of(clock)
            run = replace(
                run,
                warmup=self.clock.warmup,
                steps=steps,
                clock=clock.name,
                **self.hooks.evidence(clock, len(steps)),
            )
            for name in self.clock.others():
                self.watch.note(f"{name} stepped too; steps are counted by {clock.name}.")
        return replace(run, notes=tuple(self.watch.notes))

    def _write(self, run: Run) -> None:
        path = Path(self.orders.output) / f"evidence.rank{run.rank}.json"
        # Of several processes of one rank, the one that trained is meant.
        if run.clock or not (self.is_child or path.exists()):
            write_run(run, path)

    def _is_ours(self, path: str) -> bool:
        return path.startswith(self.orders.output)

    def _safety_stop(self, path: str) -> None:
        sys.stderr.write(
            f"trainlint: stopped before {path} was overwritten or removed: it was there before this run.\n"
        )
        self._by_our_fault(lambda: self.finish("safety stop"))
        self.end(SAFETY_STOP)

    def _keep_time(self) -> None:
        while True:
            time.sleep(0.5)
            if self.orders.parent and not _is_alive(self.orders.parent):
                self.end(1)
            late = self._too_late()
            if late:
                self.watch.note(late)
                self._by_our_fault(lambda: self.finish("timed out"))
                self.end(TIMED_OUT)

    def _too_late(self) -> str:
        now = time.perf_counter()
        if self.clock.started is None:
            if now - self.began <= self.orders.start_timeout:
                return ""
            return f"No step was seen in {self.orders.start_timeout:g} s from the start."
        if now - self.clock.started <= self.orders.timeout:
            return ""
        return f"The window had not closed {self.orders.timeout:g} s after the first step."


def has_ended(output: Path) -> bool:
    """Whether all ranks of a run have seen what they were to see."""
    ended = [path.name for path in output.glob(f"{_ENDED}*")]
    return bool(ended) and len(ended) >= int(ended[0].rpartition(".of")[2])


def rank_and_world() -> tuple[int, int]:
    """This process among those that train together, and how many these are."""
    distributed = loaded("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    rank, ranks = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return (int(rank), int(ranks)) if rank.isdecimal() and ranks.isdecimal() else (0, 1)


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":
        return True  # there, asking by a signal would end it
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's, or not Linux
    return state != "Z"  # it has ended, and nobody has asked for its exit code yet
