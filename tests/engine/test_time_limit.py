"""What takes too long is given up, however it clings to its work."""

from __future__ import annotations

import signal
import threading

import pytest

from trainlint.engine.time_limit import TookTooLong, time_limit

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")


def work(rounds: int) -> int:
    return sum(index**2 for index in range(rounds * 100_000))


def cling() -> None:
    while True:
        try:
            work(1)
        except Exception:  # noqa: BLE001  # as rules and the engine do, so that one crash costs no more than one rule
            continue


def test_endless_work_that_survives_every_exception_is_ended() -> None:
    with pytest.raises(TookTooLong) as caught, time_limit(0.05):
        cling()
    assert str(caught.value) == (
        "it took more than 0.05 s of processor time and was given up; exclude it, or raise `file-time-limit`"
    )


def test_the_limit_ends_with_its_block() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    for _ in range(3):
        with time_limit(0.02):
            pass
    assert work(5)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) is before


def test_each_block_has_the_whole_time() -> None:
    for _ in range(40):
        with time_limit(0.5):
            work(1)


def test_in_other_threads_nothing_is_bounded() -> None:
    found: list[int] = []

    def in_thread() -> None:
        with time_limit(0.001):
            found.append(work(2))

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert found == [work(2)]
