"""All hooks that need torch, put in place once the script has imported it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from trainlint.evidence.run import Run
from trainlint_probe.budgets.watched import WholeRun
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.watch import calls, forwards
from trainlint_probe.watch.afterwards.deeper import Changes, Deeper
from trainlint_probe.watch.compiles import Compiles
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.loaders import Loaders
from trainlint_probe.watch.memory import Reader
from trainlint_probe.watch.patches import DYNAMO, hide_from_dynamo
from trainlint_probe.watch.replicas import Replicas
from trainlint_probe.watch.steps import Candidate, Clock, Source
from trainlint_probe.watch.switches import Switches
from trainlint_probe.watch.updating.optimizers import Optimizers
from trainlint_probe.watch.warned_of.warned import Warned
from trainlint_probe.watch.watching import Watch


class Hooks:
    """The hooks of one process."""

    def __init__(self, orders: ChildSettings, watch: Watch, clock: Clock, imports: Imports) -> None:
        self.child_settings = orders
        self.watch = watch
        self.clock = clock
        self.imports = imports
        self.loaders = Loaders(watch, clock)
        self.optimizers = Optimizers(watch, clock)
        self.replicas = Replicas(watch)
        self.compiles = Compiles(watch)
        self.switches = Switches(watch)
        self.warned = Warned(watch, lambda: clock.is_closed)
        self.memory = Reader()
        self.budget = WholeRun(watch) if orders.budget else None
        self.deeper: Deeper | None = None
        """There once the window has closed and there is more to look at."""

    def install(self) -> None:
        """Put all in place. What this torch does not have is told in a note, and the rest is watched."""
        for what, install in (
            ("calls", functools.partial(calls.install, self.watch)),
            ("forwards", functools.partial(forwards.install, self.watch)),
            ("loaders", self.loaders.install),
            ("optimizers", self.optimizers.install),
            ("replicas", self.replicas.install),
            ("switches", self.switches.install),
            *((("what a budget limits", self.budget.install_on_machine),) if self.budget is not None else ()),
        ):
            try:
                install()
            except (AttributeError, ImportError, TypeError) as error:
                self.watch.note(f"torch {torch.__version__} does not let {what} be watched: {error}.")
        self.warned.install()
        self.imports.when(_STATEFUL, self._watch_stateful)
        self.imports.when(DYNAMO, hide_from_dynamo)
        self.watch.read_loaders = self.loaders.read
        self.watch.read_optimizers = self.optimizers.read
        self.watch.before_backward = self.switches.before_backward
        self.watch.after_backward = self._after_backward
        self.clock.step_ended = self.switches.step_ended
        self.optimizers.after_step = self.replicas.after_step
        self.clock.memory = self.memory.read
        self.clock.compiled = self.compiles.count

    def _after_backward(self) -> None:
        self.replicas.after_backward()
        self.clock.mark("backward", Source.BACKWARD, self.watch.name_of_backward)

    def _watch_stateful(self) -> None:
        """Torchdata's loader makes and starts itself; its iterators inherit from torch's."""
        self.loaders.watch_loader(sys.modules[_STATEFUL].StatefulDataLoader)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """What is done in here is counted like all else: a real device is not told what is ours."""
        yield

    def stop(self) -> None:
        """Nothing is to be undone: what is watched goes on as it was."""

    def evidence(self, clock: Candidate, steps: int) -> dict[str, Any]:
        """The fields of a Run that torch knows of."""
        first, last = clock.first, clock.last
        if unused := _unused_gpu():
            self.watch.note(unused)
        if self.memory.not_measured:
            self.watch.note(self.memory.not_measured)
        seen = self.watch.ledger.between(first.sites, last.sites, self.watch.directory)
        return {
            "seen": (
                *seen,
                *self.compiles.seen(self.clock.opened_at),
                *self.warned.seen(),
                *self.loaders.seen(),
                *self.loaders.starts(first.loaders, last.loaders, steps),
                *self.replicas.seen(),
            ),
            "loaders": self.loaders.between(first.loaders, last.loaders),
            "optimizers": self.optimizers.between(first.optimizers, last.optimizers),
            "device": _device(),
            "counted": self.budget.between(clock) if self.budget is not None else (),
        }

    def look_deeper(self, seen: Callable[[Changes], None]) -> None:
        """Go on for a few more steps, after which `seen` is called with what they add to the Run; it is called at once
        where these would show nothing more.
        """

        def all_seen(changes: Changes) -> None:
            seen(lambda run: self._with_handovers(changes(run)))

        deeper = Deeper(
            self.child_settings,
            self.watch,
            all_seen,
            memory=self.memory.read if self.clock.memory_grew else None,
            loaders=self.loaders if self.clock.waits_for_data else None,
        )
        if not deeper.wanted:
            all_seen(lambda run: run)
            return
        self.deeper = deeper
        self.clock.after_window = deeper.advance
        deeper.advance()

    def _with_handovers(self, run: Run) -> Run:
        """The run, and what it would cost its steps to receive their batches from workers."""
        return replace(run, loaders=self.loaders.handed_over(run.loaders))


_STATEFUL = "torchdata.stateful_dataloader.stateful_dataloader"


def _device() -> str:
    """The sort of device that was used."""
    found = calls.accelerator()
    return "cpu" if not found or _unused_gpu() else found


def _unused_gpu() -> str:
    """What to say where there is a GPU, and the training leaves it alone; empty otherwise."""
    if not torch.cuda.is_available() or torch.cuda.is_initialized():
        return ""
    return "There is a GPU, and this training did not use it: move the model and the batches to it with .to('cuda')."
