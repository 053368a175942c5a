"""Two runs at once, of which one takes steps at a time (`turns`): both meet the machine in the same state."""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from trainlint_probe.environment import memory_available
from trainlint_probe.verify.one_run import CannotRun, Prepared, Request, directory, not_run, prepared
from trainlint_probe.verify.result import Trial
from trainlint_probe.verify.turns import DONE, TURN

_ASK, _FIXED_ADDRESSES = 0xFFFFFFFF, 0x0040000
"""What tells the personality of a process, and ADDR_NO_RANDOMIZE, of linux/personality.h."""
_LOOK_S = 0.05
"""How often a run that has its turn is asked whether it has ended."""
_ROOM = 2.5
"""How many times the memory of one run must be free for two."""


@dataclass(frozen=True, slots=True)
class Version:
    """What one of the two runs."""

    request: Request
    edits: Mapping[str, bytes]
    """By the real path of a file of the user's: the text that takes its place."""


def reason_against_pairing(request: Request, rehearsal: Trial) -> str:
    """Why two runs had better follow each other, without a full stop; empty where they may share the machine.

    A device would go on with what one run has asked for while the other has its turn, and ranks wait for each other
    at steps of their own.
    """
    if not sys.platform.startswith("linux"):
        return "processes can be followed on Linux alone"
    if request.processes > 1 or rehearsal.ranks > 1:
        return "several processes train together"
    if rehearsal.device != "cpu":
        return "the training uses a device"
    if rehearsal.files and not rehearsal.overlaid:
        return "the script writes files, and there is no overlay"
    if rehearsal.host_peak is not None and _ROOM * rehearsal.host_peak > memory_available():
        return "the memory is too small for two of them"
    return ""


def run_pair(first: Version, second: Version, more_steps: int = 0) -> tuple[Trial, Trial]:
    """Run both, the first one's steps before the second one's. Never raises for what the script does.

    Each starts and warms up while the other waits. Where one ends early, the other goes on alone. What a process meets
    by chance and its speed depends on is the same for both, and another for another pair: the hashes of strings, and
    the addresses of its memory. `more_steps` are timed besides those asked for.
    """
    pair_seed = secrets.randbelow(2**32)
    try:
        with directory() as one, directory() as other:
            runs = (
                _Run(prepared(one, first.request, first.edits, more_steps=more_steps, pair_seed=pair_seed)),
                _Run(prepared(other, second.request, second.edits, more_steps=more_steps, pair_seed=pair_seed)),
            )
            with ExitStack() as stack:
                for run in runs:
                    run.begin(stack)
                while any(run.goes_on for run in runs):
                    for run in runs:
                        run.take_turn()
            trials = runs[0].result(), runs[1].result()
    except (CannotRun, OSError) as error:
        return not_run(error), not_run(error)
    return trials


class _Run:
    """One of the two."""

    def __init__(self, run: Prepared) -> None:
        self._prepared = run
        self._process: subprocess.Popen[bytes] | None = None
        self._pipes: list[int] = []
        self._left = run.request.timeout
        """Seconds that it may still take, waiting not counted."""

    def begin(self, stack: ExitStack) -> None:
        """Start it and let it warm up. It ends with the stack."""
        for name in (TURN, DONE):
            path = self._prepared.here / name
            os.mkfifo(path, 0o600)
            self._pipes.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))
            stack.callback(os.close, self._pipes[-1])
        with _without_random_addresses():
            self._process = stack.enter_context(self._prepared.begun())
        self._wait()

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended, and has time left."""
        return self._process is not None and self._process.poll() is None and self._left > 0

    def take_turn(self) -> None:
        """Let it take some steps."""
        if self.goes_on:
            os.write(self._pipes[0], b".")
            self._wait()

    def result(self) -> Trial:
        """What came of it."""
        status = self._process.poll() if self._process is not None and self._left > 0 else None
        return self._prepared.result(status)

    def _wait(self) -> None:
        """Until its turn is over, or it has ended, or its time is up."""
        began = time.monotonic()
        while self.goes_on and time.monotonic() - began < self._left:
            readable, _, _ = select.select([self._pipes[1]], [], [], _LOOK_S)
            if readable:
                os.read(self._pipes[1], 1)
                break
        self._left -= time.monotonic() - began


@contextmanager
def _without_random_addresses() -> Iterator[None]:
    """Processes started in here find their memory at addresses that Linux does not draw, where it lets us say so.

    How fast a program runs depends on where its code and data come to lie: Mytkowicz, Diwan, Hauswirth and Sweeney,
    "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009.
    """
    personality = ctypes.CDLL(None).personality
    before = personality(_ASK)
    if before >= 0:
        personality(before | _FIXED_ADDRESSES)
    try:
        yield
    finally:
        if before >= 0:
            personality(before)
