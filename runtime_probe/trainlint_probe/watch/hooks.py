"""All hooks that need torch, put in place once the script has imported it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

import torch

from trainlint_probe.orders import Orders
from trainlint_probe.watch import calls, forwards, memory
from trainlint_probe.watch.compiles import Compiles
from trainlint_probe.watch.deeper import Deeper
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.loaders import Loaders
from trainlint_probe.watch.optimizers import Optimizers
from trainlint_probe.watch.overhead import overhead
from trainlint_probe.watch.steps import Candidate, Clock, Source
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
        self.compiles = Compiles(watch)
        self.warned = Warned(watch)
        self.wrappers: list[CodeType] = []
        """The code that stands between calls of the user's and torch."""

    def install(self) -> None:
        """Put all in place. What this torch does not have is told in a note, and the rest is watched."""
        for what, install in (
            ("calls", functools.partial(calls.install, self.watch)),
            ("forwards", functools.partial(forwards.install, self.watch)),
            ("loaders", self.loaders.install),
            ("optimizers", self.optimizers.install),
        ):
            try:
                self.wrappers += install() or ()
            except (AttributeError, ImportError, TypeError) as error:
                self.watch.note(f"torch {torch.__version__} does not let {what} be watched: {error}.")
        self.warned.install()
        self.imports.when(_STATEFUL, self._watch_stateful)
        self.imports.when(_DYNAMO, self._hide)
        self.watch.read_loaders = self.loaders.read
        self.watch.read_optimizers = self.optimizers.read
        self.watch.after_backward = functools.partial(self.clock.mark, "backward", Source.BACKWARD, lambda: "backward")
        self.clock.memory = memory.read
        self.clock.compiled = self.compiles.count

    def _hide(self) -> None:
        """Keep torch.compile from compiling a wrapper that runs between two of its graphs, as if it were the user's.

        What the wrapper calls is compiled as it would be without us.
        """
        for code in self.wrappers:
            sys.modules[_DYNAMO].skip_code(code)

    def _watch_stateful(self) -> None:
        """Torchdata's loader makes and starts itself; its iterators inherit from torch's."""
        self.loaders.watch_loader(sys.modules[_STATEFUL].StatefulDataLoader)

    def evidence(self, clock: Candidate, steps: int) -> dict[str, Any]:
        """The fields of a Run that torch knows of."""
        first, last = clock.first, clock.last
        if self.orders.flops and self.compiles.count():
            self.watch.note("The floating point operations of a step are not counted, as parts of it are compiled.")
        seen = self.watch.ledger.between(first.sites, last.sites, self.watch.directory)
        return {
            "seen": (*seen, *self.compiles.seen(), *self.warned.seen()),
            "loaders": self.loaders.between(first.loaders, last.loaders),
            "optimizers": self.optimizers.between(first.optimizers, last.optimizers),
            "device": _device(),
            "overhead_ms": overhead(self.watch, first, last, steps),
        }

    def look_deeper(self, seen: Callable[[dict[str, Any]], None]) -> bool:
        """Go on for a few more steps, after which `seen` is called with what they add to the Run; False where there
        is nothing to look at.
        """
        deeper = Deeper(self.orders, self.watch, seen, compiled=self.compiles.count() > 0)
        if not deeper.wanted:
            return False
        self.clock.after_window = deeper.advance
        deeper.advance()
        return True


_DYNAMO = "torch._dynamo.eval_frame"
_STATEFUL = "torchdata.stateful_dataloader.stateful_dataloader"


def _device() -> str:
    """The sort of device that was used."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        return "cuda"
    for name in ("xpu", "mps"):
        module = getattr(torch, name, None)
        if module is not None and getattr(module, "is_available", bool)():
            return name
    return "cpu"
