"""Turns the simulated device on, and off again without a trace."""

from __future__ import annotations

import os
import threading
from types import TracebackType

from trainlint_probe.simulated import ranks, twins
from trainlint_probe.simulated.compiled.compiling import Compiling
from trainlint_probe.simulated.copies import Copies
from trainlint_probe.simulated.cuda import answers, graphs, streams
from trainlint_probe.simulated.events import Log
from trainlint_probe.simulated.names import card_of
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.places import Places
from trainlint_probe.simulated.surface import Surface
from trainlint_probe.simulated.without_values.valueless import Valueless
from trainlint_probe.watch.patches import Patches

_ON: list[Simulation] = []
"""The one that is on in this process."""


class Simulation:
    """A machine with GPUs, as a context: what PyTorch does inside of it is counted in `log`."""

    def __init__(self, gpu: str = "h100", devices: int = 1, *, values: bool = True) -> None:
        """`gpu` is a name of `trainlint.planning.hardware`; there are 1 to 8 devices. Without `values`, what lies on
        them has a shape and a type alone.

        Raises:
            ValueError: there is no such GPU, or not so many fit in one machine.
        """
        self.gpu = card_of(gpu, devices)
        """The card of each device."""
        self.log = Log()
        self.places = Places(devices)
        self.valueless = None if values else Valueless(self.places, self.log)
        self.operators = Operators(self.places, self.log, self.valueless)
        self.copies = Copies(self.places, self.log, self.operators)
        self.surface = Surface(self.operators, self.copies)
        self.compiling = Compiling(self._leave, values=values)
        self._thread = threading.local()

    def __enter__(self) -> Simulation:
        if _ON:
            raise RuntimeError("A GPU is simulated already: name more devices of it in place of a second one.")
        _ON.append(self)
        self._patches = Patches()
        answers.install(self._patches, self.gpu, self.copies)
        twins.install(self._patches, self.surface, self._enter_thread)
        self.compiling.install(self._patches)
        graphs.install(self._patches, self.operators)
        ranks.install(self._patches, self.operators)
        if self.valueless is not None:
            self.valueless.install(self._patches)
        streams.tell(self.log)
        self._enter_thread()
        os.register_at_fork(after_in_child=self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if getattr(self._thread, "has_entered", False):
            self.operators.__exit__(None, None, None)
            self.surface.__exit__(None, None, None)
        else:  # the time is up, say, while another thread trains: PyTorch keeps what was entered for each thread
            self.operators.is_off = True
        self._leave()

    def _leave(self) -> None:
        """Put PyTorch's own functions back."""
        streams.tell(None)
        self._patches.take_out()
        _ON.clear()

    def _enter_thread(self) -> None:
        self.surface.__enter__()
        self.operators.__enter__()
        self._thread.has_entered = True

    def _stop(self) -> None:
        """In a worker process nothing is simulated: what a loader does there, it does on the CPU."""
        self.operators.is_off = True
