"""Each moment belongs to one phase."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint_probe.watch.phases import PHASES, PhaseStack

moves = st.lists(st.one_of(st.integers(0, len(PHASES) - 1), st.none()), max_size=40)


@given(moves)
@settings(deadline=None)
def test_the_phases_of_a_span_add_up_to_it(moves: list[int | None]) -> None:
    before = time.perf_counter_ns()
    phases = PhaseStack()
    began = phases.since
    for move in moves:
        if move is not None:
            phases.enter(move)
        elif len(phases.stack) > 1:
            phases.leave()
    totals = phases.totals()
    assert sum(totals) == phases.since - began
    assert before <= began <= phases.since <= time.perf_counter_ns()


def test_a_phase_inside_another_stops_the_outer_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0
    monkeypatch.setattr("trainlint_probe.watch.phases.perf_counter_ns", lambda: now)
    phases = PhaseStack()
    now = 1
    phases.enter(3)
    now = 20
    phases.enter(4)
    now = 300
    phases.leave()
    now = 4000
    totals = phases.totals()
    assert (totals[3], totals[4]) == (19 + 3700, 280)
    assert sum(totals) == 4000


def test_what_an_exception_left_open_is_closed() -> None:
    phases = PhaseStack()
    depth = len(phases.stack)
    phases.enter(1)
    phases.enter(2)
    phases.leave_to(depth)
    assert len(phases.stack) == depth
