"""A question that a copy of the process answers, so that asking it changes nothing here."""

from __future__ import annotations

import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

from trainlint_probe.watch.compiles import Break

_PATIENCE_S = 120.0
"""What the copy may take."""
_CHUNK = 1 << 16


def in_a_copy(act: Callable[[], tuple[list[Break], str]]) -> tuple[list[Break], str]:
    """What `act` says in a fork of this process, which prints nothing and then ends."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads may hold locks: then time runs out
        child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1, 2):
                os.dup2(nowhere, standard)
            with os.fdopen(writing, "w", encoding="utf-8") as pipe:
                json.dump(act(), pipe)
        finally:
            os._exit(0)
    os.close(writing)
    try:
        text = _read(reading, time.monotonic() + _PATIENCE_S)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):  # the script may have told the system to forget its children
            os.waitpid(child, 0)
    if text is None:
        return [], f"it took more than {_PATIENCE_S:.0f} s"
    if not text:
        return [], "the process that was to do so has died"
    found, reason = json.loads(text)
    return [Break(tuple((path, line) for path, line in stack), why) for stack, why in found], reason


def _read(pipe: int, until: float) -> bytes | None:
    """All that is written into a pipe; None where its end does not come in time."""
    parts: list[bytes] = []
    while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(pipe, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return None
