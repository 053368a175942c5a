"""The loop of a worker process: tasks in, answers out, until the main process closes the pipe."""

from __future__ import annotations

import gc
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trainlint.engine.pool.model_store import ModelStore
from trainlint.engine.pool.process_settings import settings_for_judging
from trainlint.engine.time_limit import let_it_end_this_process

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name))
"""What ends a program from outside."""


def serve(pipe: Connection, inherited: Sequence[Connection], kept: int, prepare: Callable[[], None]) -> None:
    """Prepare, then answer requests: each is a function and the tasks to call it with, and has one answer a task.

    `inherited` are ends of other processes' pipes: while this process held them open, the others would not notice
    that the main process is gone. `kept` is the bound of its model store.
    """
    for other in inherited:
        other.close()
    for number in ENDING:
        # End at once and silently: the main process reports for all.
        signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    let_it_end_this_process()
    gc.freeze()  # the collector does not touch objects of the main process, so their memory stays shared
    store = ModelStore(kept)
    with settings_for_judging(), suppress(EOFError, OSError):
        prepare()
        while True:
            function, tasks = pipe.recv()
            for task in tasks:
                pipe.send_bytes(_run_task(function, task, store))


def _run_task(function: Callable[[Any, ModelStore], object], task: object, store: ModelStore) -> bytes:
    """The result, or what kept it from being found or sent."""
    try:
        return pickle.dumps((True, function(task, store)), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001  # a native panic is no Exception, and any costs only its own task
        return pickle.dumps((False, f"{type(error).__name__}: {error}"))
