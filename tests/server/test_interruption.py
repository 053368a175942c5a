"""A computation ends when its result has become stale, and only where it said that it may."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from trainlint.server.interruption import Interruption, Stale

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signal to spare")


def test_a_request_ends_the_block_that_is_running() -> None:
    interruption, begun = Interruption(), threading.Event()

    def request() -> None:
        begun.wait()
        interruption.request()

    other = threading.Thread(target=request)
    other.start()
    with pytest.raises(Stale):
        _compute(interruption, begun)
    other.join()


def test_a_request_outside_of_a_block_ends_the_next_one_at_its_beginning() -> None:
    interruption = Interruption()
    interruption.request()
    assert sum(range(10_000)) == 49_995_000
    with pytest.raises(Stale), interruption.allowed():
        pytest.fail("the block was entered")


def test_a_request_that_was_withdrawn_ends_nothing() -> None:
    interruption = Interruption()
    interruption.request()
    interruption.withdraw()
    with interruption.allowed():
        assert sum(range(10_000)) == 49_995_000


def _compute(interruption: Interruption, begun: threading.Event) -> None:
    with interruption.allowed():
        begun.set()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
