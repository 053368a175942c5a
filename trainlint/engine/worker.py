"""What a worker process does: tasks in, answers out, until the main process hangs up."""

from __future__ import annotations

import gc
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trainlint.engine.patience import patience
from trainlint.engine.shelf import Shelf
from trainlint.engine.time_limit import let_it_end_this_process

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM") if hasattr(signal, name))
"""What ends a program from outside."""


def serve(pipe: Connection, inherited: Sequence[Connection], kept: int, prepare: Callable[[], None]) -> None:
    """Prepare; then answer orders. Each is a function and the tasks to call it with, and has one answer a task.

    `inherited` are ends of pipes that are not meant for this process: while it held them, the others would not notice
    that the main process is gone. `kept` is the bound of its shelf.
    """
    for other in inherited:
        other.close()
    for number in ENDING:
        # At once and without a word: the main process speaks for all.
        signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    let_it_end_this_process()
    gc.freeze()  # what the main process made is not looked through, and so not copied
    shelf = Shelf(kept)
    with patience(), suppress(EOFError, OSError):
        prepare()
        while True:
            function, tasks = pipe.recv()
            for task in tasks:
                pipe.send_bytes(_answer(function, task, shelf))


def _answer(function: Callable[[Any, Shelf], object], task: object, shelf: Shelf) -> bytes:
    """The result, or what kept it from being found or sent."""
    try:
        return pickle.dumps((True, function(task, shelf)), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001  # a native panic is no Exception, and any costs only its own task
        return pickle.dumps((False, f"{type(error).__name__}: {error}"))
