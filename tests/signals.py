"""Children that hear Ctrl-C, however the tests were started."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_is_heard() -> Iterator[None]:
    """What is started meanwhile handles SIGINT as Python does.

    A shell starts its background jobs with SIGINT ignored, all that these start inherits it, and Python leaves a signal
    alone that is ignored. So without this, tests that interrupt a process would fail in a background job.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
