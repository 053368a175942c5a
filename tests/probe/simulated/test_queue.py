"""The queue of a device, by steps whose times can be worked out by hand."""

from __future__ import annotations

import pytest

from trainlint_probe.simulated.pricing.queue import HOST, WAIT, Work, prices, step_time

FAST, SLOW = HOST
MS = 1e-3


def operators(number: int, seconds: float) -> list[Work]:
    return [Work((seconds, seconds))] * number


def test_a_device_that_is_always_behind_sets_the_pace() -> None:
    work = operators(10, 1 * MS)

    assert step_time(work).low == pytest.approx(10 + FAST * 1e3)
    assert step_time(work).high == pytest.approx(10 + SLOW * 1e3)


def test_a_host_that_is_always_behind_sets_the_pace() -> None:
    work = operators(1000, 1e-9)

    assert step_time(work).low == pytest.approx(1000 * FAST * 1e3, rel=1e-3)
    assert step_time(work).high == pytest.approx(1000 * SLOW * 1e3, rel=1e-3)


def test_a_wait_costs_what_the_host_could_have_queued_meanwhile() -> None:
    # The host queues 1,000 operators of 4 to 12 µs while the device works for 100 ms; then as many tiny ones follow.
    heavy, wait = operators(100, 1 * MS), Work((0.0, 0.0), waits=True, name="line")
    light = operators(1000, 1e-9)

    (gain,) = prices([*heavy, wait, *light]).values()

    assert gain.low == pytest.approx(1000 * FAST * 1e3, rel=0.02)
    assert gain.high == pytest.approx(1000 * SLOW * 1e3, rel=0.02)


def test_a_wait_at_the_end_of_a_busy_device_costs_its_own_time_alone() -> None:
    wait = Work((0.0, 0.0), waits=True, name="line")

    assert prices([*operators(100, 1 * MS), wait])["line"].high == pytest.approx(WAIT[1] * 1e3, abs=0.02)


def test_of_two_waits_side_by_side_one_is_free() -> None:
    wait, other = (Work((0.0, 0.0), waits=True, name=name) for name in ("one", "other"))
    work = [*operators(100, 1 * MS), wait, other, *operators(1000, 1e-9)]

    assert all(gain.high == pytest.approx(WAIT[1] * 1e3, abs=0.05) for gain in prices(work).values())


def test_the_host_hands_over_a_graph_at_once() -> None:
    graph = [Work((1e-9, 1e-9)), *[Work((1e-9, 1e-9), queued=False)] * 999]

    assert step_time(graph).high == pytest.approx(SLOW * 1e3, rel=0.2)
