"""Hands the watch over to Python processes that the script starts: `accelerate launch`, torchrun, `mp.spawn`.

Such a process inherits the environment. `PYTHONPATH` begins with a directory of ours whose `sitecustomize`, which
Python imports at its start, arms the watch and then runs the user's own `sitecustomize`, if there is one. Nothing is
written to any installation, and a process that is not told by the environment is left alone.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from multiprocessing import util
from types import TracebackType

from trainlint.evidence.as_json import Damaged
from trainlint_probe.child_settings import VARIABLE, from_environment


def place_of_script(words: Sequence[str]) -> int | None:
    """Where the script stands among the words that Python was started with; None where it runs no file."""
    place = 1
    while place < len(words) and words[place].startswith("-"):
        if words[place] in ("-m", "-c", "-"):
            return None
        place += 2 if words[place] in ("-W", "-X") else 1
    return place if place < len(words) else None


def arm() -> None:
    """Watch this process, which the script has started, if the environment says so."""
    if VARIABLE not in os.environ or "trainlint_probe.child" in sys.orig_argv:
        return  # nobody asked, or the process watches itself
    try:
        orders = from_environment(os.environ)
    except Damaged:
        return  # the run that this was meant for is over
    from trainlint_probe.compared import edited
    from trainlint_probe.recorder import Recorder

    place = place_of_script(sys.orig_argv)
    if place is not None and os.path.realpath(sys.orig_argv[place]) in orders.edits:
        # Python reads the script that it is started with past all that could put another text in its place.
        words = [*sys.orig_argv[1:place], "-m", "trainlint_probe.child", *sys.orig_argv[place:]]
        os.execv(sys.executable, [sys.executable, *words])  # noqa: S606 - the same Python, by its path
    edited.install_ordered(orders.edits, orders.moved)
    recorder = Recorder(orders, started_by_the_script=True)
    recorder.start()
    failed: list[bool] = []
    shown = sys.excepthook

    def remember(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        failed.append(True)
        recorder.failed(error.with_traceback(traceback))
        shown(kind, error, traceback)

    def ended() -> None:
        recorder.finish("script failed" if failed else "too short")
        recorder.saves.tidy()

    sys.excepthook = remember
    atexit.register(ended)
    util.Finalize(None, ended, exitpriority=0)  # processes of multiprocessing end without atexit
