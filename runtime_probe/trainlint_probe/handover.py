"""Hands the watch over to Python processes that the script starts: `accelerate launch`, torchrun, `mp.spawn`.

Such a process inherits the environment. `PYTHONPATH` begins with a directory of ours whose `sitecustomize`, which
Python imports at its start, arms the watch and then runs the user's own `sitecustomize`, if there is one. Nothing is
written to any installation, and a process that is not told by the environment is left alone.
"""

from __future__ import annotations

import atexit
import os
import sys
from multiprocessing import util
from pathlib import Path
from types import TracebackType

from trainlint.evidence_json import Damaged
from trainlint_probe.child_settings import VARIABLE, from_environment
from trainlint_probe.verify.order import VARIABLE as TRIAL


def arm() -> None:
    """Watch this process, which the script has started, if the environment says so."""
    trial = os.environ.get(TRIAL)
    if trial is not None and Path(trial).exists() and "trainlint_probe.verify.arm" not in sys.orig_argv:
        from trainlint_probe.verify.arm import join

        join(trial)
        return
    if VARIABLE not in os.environ or "trainlint_probe.child" in sys.orig_argv:
        return  # nobody asked, or the process watches itself
    try:
        orders = from_environment(os.environ)
    except Damaged:
        return  # the run that this was meant for is over
    from trainlint_probe.recorder import Recorder

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
