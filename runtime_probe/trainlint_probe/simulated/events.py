"""What happened on the simulated device: waits and copies, each at the line that caused it, counted by step."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch

_OWN = str(Path(__file__).parent.parent) + os.sep
_TORCH = str(Path(torch.__file__).parent) + os.sep
_DEEPEST = 40
"""Frames of a call chain that are kept, from the innermost."""
_MOST_CAUSES = 10_000


class Kind(Enum):
    """What an event is."""

    WAIT = "wait"
    """The host waits until the device has done all that was queued."""
    COPY = "copy"
    """Memory goes from host to device or back."""
    COLLECTIVE = "collective"
    """Ranks exchange tensors."""


class Place(NamedTuple):
    """A line of a call chain."""

    path: str
    line: int
    function: str


class What(NamedTuple):
    """An event without its place and time."""

    kind: Kind
    name: str
    """The operator or function, as people know it: "Tensor.item", "index (mask)"."""
    direction: str = ""
    """Of copies: "host to device", "device to host", "device to device"."""
    blocking: bool = True
    """Whether the host stands still until it is done."""
    pageable: bool = False
    """Of copies: whether the host's memory is not pinned."""


HOST_TO_DEVICE = "host to device"
DEVICE_TO_HOST = "device to host"
DEVICE_TO_DEVICE = "device to device"


class Cause(NamedTuple):
    """What makes events equal: all but when they happened."""

    what: What
    chain: tuple[Place, ...]
    """The innermost line first, without those of PyTorch."""
    inside: str
    """The line of PyTorch's own Python code that did it; "" where the chain's first line calls PyTorch's C++ itself."""
    in_backward: bool
    forward: Place | None
    """For what happens in the backward pass: the line whose operator it belongs to, where that is known."""


@dataclass(slots=True)
class Happened:
    """How often, and of how many bytes, by step."""

    by_step: Counter[int] = field(default_factory=Counter)
    bytes: Counter[int] = field(default_factory=Counter)


class Log:
    """The events of a process."""

    def __init__(self) -> None:
        self.step = 0
        """How many steps have ended."""
        self.events: dict[Cause, Happened] = {}
        self.muted = False
        """Whether what happens is not counted, as it would not happen on a GPU."""
        self.in_place: Callable[[What, int], None] | None = None
        """Told what happens in the place of this log, while a graph is captured."""
        self.listeners: list[Callable[[What, int, Cause], None]] = []
        """Told each event, its bytes and its cause."""
        self.decided: set[tuple[Place, ...]] = set()
        """Where the script decided by a value that was not computed."""
        self.sized: set[tuple[Place, ...]] = set()
        """Where a size depends on one."""
        self._causes: dict[Any, tuple[Cause, list[CodeType]]] = {}
        """What happened, and the instructions that ran → the cause. The functions are kept, so that their numbers stay
        theirs."""

    def note(self, what: What, size: int = 0, *, forward: Place | None = None) -> None:
        """Something happened, caused by the line that runs now."""
        if self.muted:
            return
        if self.in_place is not None:
            self.in_place(what, size)
            return
        cause = self._cause(what, forward, sys._getframe(1))
        happened = self.events.get(cause)
        if happened is None:
            happened = self.events[cause] = Happened()
        happened.by_step[self.step] += 1
        happened.bytes[self.step] += size
        for listener in self.listeners:
            listener(what, size, cause)

    def _cause(self, what: What, forward: Place | None, frame: FrameType) -> Cause:
        """The cause of what happens in a frame. The same instructions of the same functions mean the same lines, which
        are looked up once: a step repeats what the one before did.
        """
        codes: list[CodeType] = []
        instructions: list[int] = []
        caller: FrameType | None = frame
        while caller is not None:
            codes.append(caller.f_code)
            instructions.append(caller.f_lasti)
            caller = caller.f_back
        key = (what, forward, tuple(instructions), tuple(map(id, codes)))
        known = self._causes.get(key)
        if known is None:
            cause = Cause(what, *self._chain(frame), forward)
            if len(self._causes) >= _MOST_CAUSES:
                self._causes.clear()
            known = self._causes[key] = (cause, codes)
        return known[0]

    def guess(self, kind: set[tuple[Place, ...]]) -> None:
        """The line that runs now needed a value that was not computed: one of `decided` or `sized`."""
        if not self.muted:
            kind.add(self._chain(sys._getframe(1))[0])

    def here(self) -> Place | None:
        """The line that runs now."""
        chain, _, _ = self._chain(sys._getframe(1))
        return chain[0] if chain else None

    def _chain(self, frame: FrameType | None) -> tuple[tuple[Place, ...], str, bool]:
        chain: list[Place] = []
        inside = ""
        in_backward = False
        while frame is not None and len(chain) < _DEEPEST:
            code = frame.f_code
            name = code.co_filename
            if name.startswith(_TORCH):
                if not chain:
                    if code.co_name == "_engine_run_backward":
                        in_backward = True
                    elif not inside and not name.endswith(_THIN):
                        inside = f"torch/{name[len(_TORCH) :]}:{frame.f_lineno}"
            elif not name.startswith((_OWN, "<")):
                chain.append(Place(name, frame.f_lineno, code.co_name))
            frame = frame.f_back
        return tuple(chain), inside, in_backward


_THIN = (
    "overrides.py",
    "_python_dispatch.py",
    "_device.py",
    "_contextlib.py",
    "autograd/function.py",
    "_ops.py",
    "autograd/__init__.py",
    "autograd/graph.py",
    "nn/modules/module.py",
)
"""Files of PyTorch that only hand calls on."""
