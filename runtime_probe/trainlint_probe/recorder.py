"""Watches the process that it stands in, writes the evidence, and ends the process when enough was seen."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.evidence.run import Run
from trainlint_probe import environment
from trainlint_probe.child_settings import SAFETY_STOP, TIMED_OUT, ChildSettings
from trainlint_probe.compared.seeding import seed_what_is_unseeded
from trainlint_probe.own_rank import rank_and_world
from trainlint_probe.processes import end_at_once, is_alive
from trainlint_probe.report.progress import note_progress
from trainlint_probe.storage import read_run, write_run
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.saving import guard, renames
from trainlint_probe.watch.saving.saves import Saves
from trainlint_probe.watch.steps import Clock, Source, steps_of
from trainlint_probe.watch.watching import Watch
from trainlint_probe.wording.errors import words_of, words_with_line

if TYPE_CHECKING:
    from trainlint_probe.compared.computing import Computing
    from trainlint_probe.simulated.hooks import SimulatedHooks
    from trainlint_probe.watch.afterwards.deeper import Changes
    from trainlint_probe.watch.hooks import Hooks

FAILURE = "failure"
"""The file in which a fault of the probe itself is told."""
_ENDED = "ended.rank"


class Recorder:
    """One for each process that may train."""

    def __init__(self, orders: ChildSettings, *, started_by_the_script: bool) -> None:
        """`started_by_the_script`: this is not the process that the parent started, but one that the script did."""
        self.child_settings = orders
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
        self.saves = Saves(Path(orders.output) / "saved", self.watch, orders.overlaid)
        self.imports = Imports()
        self.hooks: Hooks | SimulatedHooks | None = None
        """There once the script has imported torch."""
        self.computing: Computing | None = None
        """Likewise, where what is computed is to be compared."""
        self.began = time.perf_counter()
        self.lock = threading.Lock()
        self.run: Run | None = None
        """What was written."""
        self.has_ended = False
        """Whether the script has ended before all was seen that was to be seen after the window."""
        self.failure = ""
        """What ended the script, in words, where it failed."""

    def start(self) -> None:
        """Wait for torch to be imported, guard the files, and keep the time."""
        self.saves.install(self.imports)
        if self.child_settings.overlaid:
            renames.install()
        guard.install((self.child_settings.output, *self.child_settings.overlaid), self.saves.new, self._safety_stop)
        self.imports.when("torch", self._install)
        if self.child_settings.seed is not None:
            seed_what_is_unseeded(self.child_settings.seed, self.imports)
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
        from trainlint_probe.watch.calls import accelerator
        from trainlint_probe.watch.hooks import Hooks

        wanted = self.child_settings.device
        is_simulated = wanted.startswith("simulated") or (wanted == "auto" and not accelerator())
        if is_simulated:
            from trainlint_probe.simulated.hooks import SimulatedHooks

            simulated = SimulatedHooks(self.child_settings, self.watch, self.clock)
            self.hooks, draws = simulated, simulated.simulation.operators.draws
        else:
            self.hooks, draws = Hooks(self.child_settings, self.watch, self.clock, self.imports), []
        if self.child_settings.compares:
            from trainlint_probe.compared.computing import Computing

            self.computing = Computing(self.hooks.quietly, draws, each_step=is_simulated)
            self.computing.install()
        self.hooks.install()

    def failed(self, error: BaseException) -> None:
        """An exception ends the script."""
        self.failure = words_with_line(error, self.watch.ledger.lines, self.child_settings.directory)

    def finish(self, outcome: str, exit_code: int | None = None) -> bool:
        """Write the evidence of what was seen until now. False where it has been written already."""
        with self.lock:
            if os.getpid() != self.process:
                return False
            if self.run is not None:
                self._cut_short(outcome, exit_code)
                return False
            if outcome == "too short" and self.clock.close_at_the_end():
                outcome = "window closed"
            self.run = self._evidence(outcome, exit_code)
            self._write(self.run)
            return True

    def end(self, exit_code: int) -> None:
        """End the process at once."""
        if self.run is not None:
            Path(self.child_settings.output, f"{_ENDED}{self.run.rank}.of{self.run.world_size}").touch()
        self.saves.tidy()
        end_at_once(exit_code)

    def _window_closed(self) -> None:
        self.finish("window closed")
        assert self.hooks is not None, "they set the marks"
        self.hooks.look_deeper(self._looked_deeper)

    def _looked_deeper(self, changes: Changes) -> None:
        """All was seen that was to be seen, or can be."""
        if self.run is not None:
            self.run = changes(self.run)
            self._write(self.run)
        if not self.has_ended:
            self.end(0)

    def _cut_short(self, outcome: str, exit_code: int | None) -> None:
        """The script has ended in the steps after the window: by itself, or because it or the clock has ended it."""
        deeper = self.hooks.deeper if self.hooks is not None else None
        if deeper is None or deeper.is_done or self.run is None or self.has_ended:
            return
        self.has_ended = True
        self.run = replace(self.run, exit_code=exit_code)
        why = {"script failed": "The script failed", "timed out": "The time was up"}.get(outcome, "The script ended")
        if outcome == "timed out":  # the step that takes so long still runs, and the profiler is not this thread's
            self.run = replace(self.run, notes=(*self.run.notes, f"{why} in the steps after the window."))
            self._write(self.run)
            return
        self._by_our_fault(lambda: deeper.cut_short(f"{why}{self.failure and f' ({self.failure})'}"))

    def _by_our_fault(self, act: Callable[[], object]) -> None:
        """What fails in here is no fault of the script, and must not look like one."""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to the parent
            if self.run is not None:
                note = f"The look after the window failed ({words_of(error)}): what it was to add is missing."
                self._write(replace(self.run, notes=(*self.run.notes, note)))
                if self.has_ended:
                    return  # with the script's own exit code
                self.end(0)
            Path(self.child_settings.output, FAILURE).write_text(traceback.format_exc(), encoding="utf-8")
            self.end(1)

    def _evidence(self, outcome: str, exit_code: int | None) -> Run:
        rank, ranks = rank_and_world()
        clock = self.clock.best_candidate()
        if self.hooks is not None:
            self.hooks.stop()
        run = Run(
            command=self.child_settings.command,
            environment=environment.collect(),
            outcome=outcome,
            rank=rank,
            world_size=ranks,
            redirected=tuple(self.saves.twins.meant),
            exit_code=exit_code,
            failure=self.failure if outcome == "script failed" else "",
        )
        if clock is not None and self.hooks is not None:
            seen = self.hooks.evidence(clock, clock.steps)
            steps = steps_of(clock, device=seen["device"])
            run = replace(
                run,
                warmup=self.clock.warmup,
                steps=steps,
                clock=clock.name,
                cores=self.clock.cores,
                **seen,
            )
            if self.computing is not None:
                marks = [mark.at for mark in (*clock.warmup_marks, *clock.marks)]
                run = replace(run, computed=self.computing.read(marks, self.watch.ledger.lines.is_users))
            if clock.source is not Source.OPTIMIZER:
                self.watch.note(f"No optimizer of torch has stepped, so steps are counted by {clock.name}.")
            for name in self.clock.others():
                self.watch.note(f"{name} stepped too; steps are counted by {clock.name}.")
        return replace(run, notes=tuple(self.watch.notes))

    def _write(self, run: Run) -> None:
        path = Path(self.child_settings.output) / f"evidence.rank{run.rank}.json"
        if not run.clock and (self.is_child or path.exists()):
            return
        if path.exists() and _weight(read_run(path)) > _weight(run):
            return
        try:
            write_run(run, path)
        except OSError as error:
            sys.stderr.write(
                f"trainlint: the evidence could not be written to {self.child_settings.output} ({error.strerror}). "
                "Where there is no room, set TMPDIR to a directory that has some.\n"
            )
            self.end(1)

    def _safety_stop(self, path: str) -> None:
        sys.stderr.write(
            f"trainlint: stopped before {path} was overwritten or removed: it was there before this run.\n"
        )
        self._by_our_fault(lambda: self.finish("safety stop"))
        self.end(SAFETY_STOP)

    def _keep_time(self) -> None:
        while True:
            time.sleep(0.5)
            if self.child_settings.parent and not is_alive(self.child_settings.parent):
                self.end(1)
            if self.child_settings.notes_progress and rank_and_world()[0] == 0 and (words := self.clock.progress()):
                note_progress(self.child_settings.output, words)
            late = self._too_late()
            if late:
                self.watch.note(late)
                self._by_our_fault(lambda: self.finish("timed out"))
                self.end(TIMED_OUT)

    def _too_late(self) -> str:
        now = time.perf_counter()
        if self.clock.started is None:
            if now - self.began <= self.child_settings.start_timeout:
                return ""
            return f"No step was seen in {self.child_settings.start_timeout:g} s from the start."
        if now - self.clock.started <= self.child_settings.timeout:
            return ""
        return f"The window had not closed {self.child_settings.timeout:g} s after the first step."


def _weight(run: Run) -> tuple[bool, bool, bool]:
    """Of several processes of one rank, the one that trained is meant: not the one that started it and evaluates."""
    return run.outcome == "safety stop", run.outcome == "window closed", bool(run.optimizers)


def has_ended(output: Path) -> bool:
    """Whether all ranks of a run have seen what they were to see."""
    ended = [path.name for path in output.glob(f"{_ENDED}*")]
    return bool(ended) and len(ended) >= int(ended[0].rpartition(".of")[2])
