"""Waits for a real GPU, as CUDA tells them: `torch.cuda.set_sync_debug_mode` warns of each, at the line that waits.

It is one switch for the whole process. It tells the waits inside of PyTorch's C++ too, and those of the backward pass
at the line that asks for it. It tells neither `torch.cuda.synchronize`, nor that an event is waited for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from trainlint_probe.watch.lines import frame_at

_MESSAGE = "called a synchronizing CUDA operation"
_WARN = 1
_PASS_ON = ("warnings", "_py_warnings")
"""Modules of Python that stand between a warning and the line that it is about."""


class CudaWaits:
    """Tells each wait from `start` to `stop`."""

    def __init__(self, told: Callable[[FrameType], None]) -> None:
        """`told` gets the frame whose line waits, in the thread that waits."""
        self._told = told
        self._mode = 0
        self._show: Callable[..., Any] = warnings.showwarning
        self._listener = self._listening
        self._filter: Any = None

    def start(self) -> None:
        """CUDA need not be in use yet."""
        self._mode = torch._C._cuda_get_sync_debug_mode()  # noqa: SLF001 - the public function starts CUDA
        self._show = warnings.showwarning
        warnings.showwarning = self._listener
        warnings.filterwarnings("always", message=_MESSAGE)
        self._filter = warnings.filters[0]
        torch._C._cuda_set_sync_debug_mode(_WARN)  # noqa: SLF001 - likewise

    def stop(self) -> None:
        """All is as before. What the script has put in the place of ours since then stays. Does nothing where it is
        not on.
        """
        if self._filter is None:
            return
        torch._C._cuda_set_sync_debug_mode(self._mode)  # noqa: SLF001 - likewise
        if self._filter in warnings.filters:
            warnings.filters.remove(self._filter)  # type: ignore[attr-defined] # typeshed calls the list a sequence
        if warnings.showwarning is self._listener:
            warnings.showwarning = self._show
        self._filter = None

    def _listening(self, message: Warning | str, category: type[Warning], *others: Any, **named: Any) -> Any:
        if str(message).startswith(_MESSAGE):
            frame = frame_at(1)
            while frame.f_globals.get("__name__") in _PASS_ON and frame.f_back is not None:
                frame = frame.f_back
            self._told(frame)
            if self._mode != _WARN:
                return None  # the script has not asked for it
        return self._show(message, category, *others, **named)
