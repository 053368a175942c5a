"""All hooks that need torch, put in place once the script has imported it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

import torch

from trainlint.evidence import Run
from trainlint_probe.orders import Orders
from trainlint_probe.watch import calls, forwards
from trainlint_probe.watch.compiles import Compiles
from trainlint_probe.watch.deeper import Changes, Deeper
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.lines import frame_at, shown
from trainlint_probe.watch.loaders import Loaders
from trainlint_probe.watch.memory import Reader
from trainlint_probe.watch.overhead import overhead
from trainlint_probe.watch.replicas import Replicas
from trainlint_probe.watch.steps import Candidate, Clock, Source
from trainlint_probe.watch.updating.optimizers import Optimizers
from trainlint_probe.watch.warned import Warned
from trainlint_probe.watch.watching import Watch


class Hooks:
    """The hooks of one process."""

    def __init__(self, orders: Orders, watch: Watch, clock: Clock, imports: Imports) -> None:
        self.orders = orders
        self.watch = watch
        self.clock = clock
        self.imports = imports
        self.loaders = Loaders(watch, clock)
        self.optimizers = Optimizers(watch, clock)
        self.replicas = Replicas(watch)
        self.compiles = Compiles(watch)
        self.warned = Warned(watch)
        self.memory = Reader()
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
        ):
            try:
                install()
            except (AttributeError, ImportError, TypeError) as error:
                self.watch.note(f"torch {torch.__version__} does not let {what} be watched: {error}.")
        self.warned.install()
        self.imports.when(_STATEFUL, self._watch_stateful)
        self.imports.when(_DYNAMO, self._hide)
        self.watch.read_loaders = self.loaders.read
        self.watch.read_optimizers = self.optimizers.read
        self.watch.after_backward = self._after_backward
        self.optimizers.after_step = self.replicas.after_step
        self.clock.memory = self.memory.read
        self.clock.compiled = self.compiles.count

    def _after_backward(self) -> None:
        self.replicas.after_backward()
        self.clock.mark("backward", Source.BACKWARD, self._name_of_backward)

    def _name_of_backward(self) -> str:
        caller = self.watch.ledger.lines.caller(frame_at(1))
        return "backward" if caller is None else f"backward at {shown(caller[0], self.watch.directory)}:{caller[1]}"

    def _hide(self) -> None:
        """Keep torch.compile from compiling wrappers, and what they ask, as if they were the user's: they run between
        two of its graphs.

        What a wrapper stands around is compiled as it would be without us.
        """
        for name, module in list(sys.modules.items()):
            if name.startswith(_OWN):
                for code in _codes_of(vars(module).values(), module.__name__):
                    sys.modules[_DYNAMO].skip_code(code)

    def _watch_stateful(self) -> None:
        """Torchdata's loader makes and starts itself; its iterators inherit from torch's."""
        self.loaders.watch_loader(sys.modules[_STATEFUL].StatefulDataLoader)

    def evidence(self, clock: Candidate, steps: int) -> dict[str, Any]:
        """The fields of a Run that torch knows of."""
        first, last = clock.first, clock.last
        if self.orders.flops and self.compiles.count():
            self.watch.note("The floating point operations of a step are not counted, as parts of it are compiled.")
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
            "overhead_ms": overhead(self.watch, first, last, steps) + self.memory.ms_per_mark,
        }

    def look_deeper(self, seen: Callable[[Changes], None]) -> None:
        """Go on for a few more steps, after which `seen` is called with what they add to the Run; it is called at once
        where these would show nothing more.
        """

        def all_seen(changes: Changes) -> None:
            seen(lambda run: self._with_ways_of_updating(changes(run)))

        deeper = Deeper(
            self.orders,
            self.watch,
            all_seen,
            compiled=self.compiles.count() > 0,
            memory=self.memory.read if self.clock.memory_grew else None,
        )
        if not deeper.wanted:
            all_seen(lambda run: run)
            return
        self.deeper = deeper
        self.clock.after_window = deeper.advance
        deeper.advance()

    def _with_ways_of_updating(self, run: Run) -> Run:
        """The run, and what its optimizers would take if they updated otherwise."""
        if self.deeper is not None and self.deeper.is_cut_short:
            return run  # the script has ended, perhaps for want of memory
        return replace(run, optimizers=self.optimizers.try_ways(run.optimizers))


_OWN = f"{__name__.partition('.')[0]}."
_DYNAMO = "torch._dynamo.eval_frame"
_STATEFUL = "torchdata.stateful_dataloader.stateful_dataloader"


def _codes_of(values: Iterable[object], module: str) -> Iterator[CodeType]:
    """The code of functions and methods that a module defines, and of the functions inside of them."""
    for value in values:
        if isinstance(value, CodeType):
            yield value
            yield from _codes_of(value.co_consts, module)
        elif isinstance(value, FunctionType):
            yield from _codes_of([value.__code__], module)
        elif isinstance(value, type) and value.__module__ == module:
            yield from _codes_of(vars(value).values(), module)


def _device() -> str:
    """The sort of device that was used."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        return "cuda"
    for name in ("xpu", "mps"):
        module = getattr(torch, name, None)
        if module is not None and getattr(module, "is_available", bool)():
            return name
    return "cpu"
