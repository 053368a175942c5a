"""One step of a trace, as a picture shows it."""

from pathlib import Path

import pytest

from tests.probe import samples
from trainlint.evidence import Phase
from trainlint_probe.traces.events import read_events
from trainlint_probe.traces.intervals import Span, total
from trainlint_probe.traces.timeline import Timeline, timeline_of


@pytest.fixture
def step(tmp_path: Path) -> Timeline:
    return timeline_of(read_events(samples.trace(tmp_path / "trace.json")))


def rounded(spans: tuple[Span, ...]) -> list[Span]:
    return [(round(start, 3), round(end, 3)) for start, end in spans]


def test_times_count_from_the_start_of_the_step(step: Timeline) -> None:
    assert (step.number, step.of, round(step.ms, 3)) == (1, 4, 20.0)
    assert rounded(step.phases[Phase.DATA_WAIT]) == [(0, 6)]
    assert rounded(step.phases[Phase.HOST_TO_DEVICE]) == [(6, 7)]
    assert rounded(step.phases[Phase.BACKWARD]) == [(9, 13)]
    assert rounded(step.phases[Phase.OPTIMIZER]) == [(13.5, 15)]


def test_phases_fill_the_step(step: Timeline) -> None:
    assert sum(total(spans) for spans in step.phases.values()) == pytest.approx(step.ms)


def test_the_device_computes_copies_and_communicates(step: Timeline) -> None:
    assert rounded(step.kernels) == [(7.5, 10), (10.1, 14), (15, 16)]
    assert rounded(step.copies) == [(6.2, 7), (16.2, 16.3)]
    assert rounded(step.communication) == [(12, 15)]


def test_waits_are_named_by_their_line_or_their_operator(step: Timeline) -> None:
    assert [(round(wait.start, 3), round(wait.end, 3), wait.place) for wait in step.waits] == [
        (6, 7, "cudaMemcpyAsync"),
        (15.5, 16.6, "train.py:78"),
    ]


def test_a_gap_that_no_screen_could_show_is_closed(tmp_path: Path) -> None:
    """0.01 ms of 20 is less than a point on a line of 800; the rest of the step shows every gap."""
    path = samples.trace(tmp_path / "trace.json", gap=0.01)
    assert rounded(timeline_of(read_events(path)).kernels) == [(7.5, 14), (15, 16)]


def test_a_trace_of_the_host_alone_has_phases_and_nothing_else(tmp_path: Path) -> None:
    step = timeline_of(read_events(samples.trace_of_host(tmp_path / "trace.json")))
    assert rounded(step.phases[Phase.BACKWARD]) == [(9, 13)]
    assert (step.waits, step.kernels, step.copies, step.communication) == ((), (), (), ())
