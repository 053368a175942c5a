"""Waits for the device at which no wrapper stands, as `x[mask]` or a copy inside of an operator: PyTorch itself says
when it is about to wait.

The hooks are those of its sanitizer for CUDA, which ROCm's builds have as well. They cannot be taken out again, and
cost each allocation a call of Python: they are put in after all that is timed.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from types import FrameType

import torch

from trainlint.evidence import Line, Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.traces.places import ABOUT_TO_WAIT
from trainlint_probe.watch.lines import Caller, frame_at, shown
from trainlint_probe.watch.watching import Watch

_SORTS = ("device", "event", "stream")
_RUNS_BACKWARD = "_engine_run_backward"
"""The function of PyTorch in which a thread waits for backward, that others run."""
_TOLD = frozenset({Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE, Symptom.COLLECTIVE})


class HiddenWaits:
    """Counts them, line by line, between `begin` and `end`."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._found: Counter[tuple[str, Caller]] = Counter()
        self._lock = threading.Lock()
        self._counts = False
        self.steps = 0
        """Whole steps in which they were counted; who takes them counts them."""

    def begin(self) -> bool:
        """Put the hooks in place. A PyTorch without them is told in a note, for they are its own business: False."""
        try:
            from torch.cuda import _gpu_trace

            for sort in _SORTS:
                register = getattr(_gpu_trace, f"register_callback_for_{sort}_synchronization")
                register(lambda *_, sort=sort: self._waits(sort))
            torch._C._activate_gpu_trace()  # noqa: SLF001 - PyTorch's sanitizer calls it so; there is no public door
        except (AttributeError, ImportError, TypeError) as error:
            self._watch.note(
                f"torch {torch.__version__} does not tell of waits inside its operators ({error}): those that no call "
                "of the script's own shows have no line."
            )
            return False
        self._counts = True
        return True

    def end(self) -> None:
        """Count no more."""
        self._counts = False

    def _waits(self, sort: str) -> None:
        """PyTorch is about to wait: on any thread, and with Python's lock held."""
        if not self._counts:
            return
        caller = self._watch.ledger.lines.caller(_frame_of_training())
        if caller is None:
            return
        with self._lock:
            self._found[sort, caller] += 1
        ranges = self._watch.ranges
        if ranges is not None:
            path, line, _ = caller
            with ranges(f"{ABOUT_TO_WAIT}{shown(path, self._watch.directory)}:{line}"):
                pass

    def added_to(self, run: Run) -> tuple[Seen, ...]:
        """What was seen at lines of which the run told no wait so far."""
        if not self.steps:
            return ()
        told = {item.at for item in run.seen if item.symptom in _TOLD}
        found = [
            Seen(
                at=Line(shown(path, self._watch.directory), line),
                symptom=Symptom.HOST_SYNC,
                what=f"{sort} synchronization",
                calls=calls,
                direct=not via,
                device="cuda",
                details={"via": via} if via else {},
                steps=self.steps,
            )
            for (sort, (path, line, via)), calls in self._found.items()
        ]
        return tuple(sorted((item for item in found if item.at not in told), key=lambda item: (-item.calls, item.at)))


def _frame_of_training() -> FrameType | None:
    """The frame that asked for what waits now.

    A thread of autograd runs no Python of its own: there, it is the thread's that waits for backward, where only one
    does.
    """
    frame: FrameType | None = frame_at(1)
    here = frame
    while here is not None:
        if not _is_of_the_hook(here):
            return frame
        here = here.f_back
    waiting = [other for other in sys._current_frames().values() if _waits_for_backward(other)]  # noqa: SLF001 - no other way to another thread's
    return waiting[0] if len(waiting) == 1 else None


def _is_of_the_hook(frame: FrameType) -> bool:
    return frame.f_code.co_filename == __file__ or frame.f_code.co_name == "fire_callbacks"


def _waits_for_backward(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == _RUNS_BACKWARD:
            return True
        frame = frame.f_back
    return False
