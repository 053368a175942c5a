"""How one thread ends a computation of the main thread whose result nobody wants any more.

A signal is the only thing that reaches Python code which never asks. Where the system has none to spare (Windows), the
computation comes to its end, and its result is dropped.
"""

from __future__ import annotations

import _thread
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNAL = getattr(signal, "SIGUSR1", None)


class Stale(BaseException):
    """Something has changed meanwhile. It is no Exception, so that nobody takes it for a crash of a rule."""


class Interruption:
    """Raises Stale in the main thread inside of the blocks that allow it. Made by the main thread."""

    def __init__(self) -> None:
        self._requested = False
        self._allowed = False
        if _SIGNAL is not None:
            signal.signal(_SIGNAL, self._arrived)

    def request(self) -> None:
        """End the block that the main thread is in, or the next one that it enters. Any thread may call this."""
        self._requested = True
        if _SIGNAL is not None:
            _thread.interrupt_main(_SIGNAL)

    def withdraw(self) -> None:
        """Forget requests that were made until now."""
        self._requested = False

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """A block that may be ended by Stale at any place. Blocks do not stand within each other."""
        self._allowed = True
        try:
            if self._requested:
                raise Stale
            yield
        finally:
            self._allowed = False

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self._allowed and self._requested:
            self._allowed = False  # once is enough
            raise Stale
