"""Processes that are started to be ended: with them goes all that they have started, daemons too."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

GRACE = 10.0
"""Seconds that a process gets to end by itself."""
_ADOPT, _ADOPTS = 36, 37
"""PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of linux/prctl.h: processes whose parent has ended become ours, not
init's."""


@contextmanager
def started(command: Sequence[str], **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own, which ends with the block, and so does all that it has started.

    It is asked first, and after `GRACE` seconds ended. Signals that would end us end it too. A second Ctrl-C does not
    wait. What was started inside and left its session, as daemons do, is found on Linux alone, by what has become a
    child of ours meanwhile: nothing else may start processes in this one.
    """
    with _adopting() as strays, _interrupted_by_signals():
        process = subprocess.Popen(command, start_new_session=True, **settings)  # one signal reaches the whole session
        number = signal.SIGTERM
        try:
            yield process
        except KeyboardInterrupt:
            number = signal.SIGINT
            raise
        finally:
            with suppress(KeyboardInterrupt):  # who asks twice does not want to wait
                _ask(process, number)
            _signal(process, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):  # a driver or a network's file system may hold it in the kernel
                process.wait(GRACE)
            strays()


def children(parent: int) -> list[int]:
    """The processes whose parent a process is, by Linux's own account; none elsewhere."""
    found = []
    with suppress(FileNotFoundError):
        for directory in os.scandir("/proc"):
            if directory.name.isdecimal():
                with suppress(OSError):
                    after_name = Path(directory.path, "stat").read_bytes().rpartition(b")")[2].split()
                    if int(after_name[1]) == parent:
                        found.append(int(directory.name))
    return found


def end_at_once(exit_code: int) -> NoReturn:
    """End this process, and the worker processes that it has started by multiprocessing.

    Not by an exception: a script may catch it, go on, or save what it has in a `finally`.
    """
    import multiprocessing

    for child in multiprocessing.active_children():
        child.terminate()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # closed, or never there
    os._exit(exit_code)


def is_alive(process: int) -> bool:
    """Whether a process has not ended yet."""
    if sys.platform == "win32":
        return True  # there, asking by a signal would end it
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's, or not Linux
    return state != "Z"  # it has ended, and nobody has asked for its exit code yet


def signal_name(number: int) -> str:
    """As in "SIGKILL"; those without a name by their numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _ask(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        _signal(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nothing is left of the session
        os.killpg(process.pid, number)


@contextmanager
def _adopting() -> Iterator[Any]:
    """Become the parent of what loses its own; gives a function that ends those who came to us meanwhile."""
    if not sys.platform.startswith("linux"):
        yield lambda: None
        return
    before = _own_children()
    control = ctypes.CDLL(None).prctl
    adopted = ctypes.c_int(0)
    control(_ADOPTS, ctypes.byref(adopted), 0, 0, 0)  # within the block of another process, it goes on
    control(_ADOPT, 1, 0, 0, 0)
    try:
        yield lambda: _end_all_but(before)
    finally:
        control(_ADOPT, adopted.value, 0, 0, 0)


def _end_all_but(kept: frozenset[int]) -> None:
    limit = time.monotonic() + GRACE
    while (strays := _own_children() - kept) and time.monotonic() < limit:
        for stray in strays:
            with suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(stray, signal.SIGKILL)  # what it had started comes to us
                os.waitpid(stray, os.WNOHANG)
        time.sleep(0.01)


def _own_children() -> frozenset[int]:
    return frozenset(children(os.getpid()))


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Signals that ask us to end, or tell that the terminal is gone, raise SystemExit: what was started ends too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> NoReturn:
        sys.exit(128 + number)

    # `nohup` has one of them ignored, and who calls us may handle them.
    ours = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
