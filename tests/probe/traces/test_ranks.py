"""Traces of several ranks."""

from pathlib import Path

import pytest

from tests.probe.traces.builder import ALL_REDUCE, TraceBuilder
from trainlint_probe.traces.events import UnreadableTrace
from trainlint_probe.traces.judge import judge_ranks
from trainlint_probe.traces.ranks import read_ranks


def _rank(number: int, own_ms: float, *, of: int = 3) -> TraceBuilder:
    """Steps of 50 ms: forward and backward, and then an all-reduce until the slowest is there, too."""
    trace = TraceBuilder(rank=number, world_size=of)
    trace.steps(50, 4)
    for start in range(0, 200, 50):
        trace.kernel(start + 1, start + own_ms, launched=start + 0.5)
        trace.kernel(start + own_ms, start + 49, ALL_REDUCE, launched=start + 0.6, stream=20)
    return trace


def test_the_straggler_is_the_rank_that_waits_least_in_communication(tmp_path: Path) -> None:
    for number, own_ms in ((0, 30), (1, 46), (2, 31)):
        _rank(number, own_ms).write(tmp_path / f"worker{number}.pt.trace.json")
    reading = read_ranks(tmp_path)
    assert [rank.rank for rank in reading.ranks] == [0, 1, 2]
    assert reading.slowest is not None
    assert reading.slowest.rank == 1
    assert reading.slowest.communication_ms == pytest.approx(3)
    assert reading.slowest.behind_ms == pytest.approx(15.5)
    exposed = [rank.communication.exposed for rank in reading.ranks if rank.communication]
    assert exposed == pytest.approx([19, 3, 18])
    [finding] = judge_ranks(reading)
    assert finding.name == "straggling-rank"
    assert "rank 1" in finding.sentence
    assert finding.share is not None
    assert finding.share.high == pytest.approx(15.5 / 50)


def test_ranks_that_are_about_as_fast_have_no_straggler(tmp_path: Path) -> None:
    for number, own_ms in ((0, 30), (1, 31)):
        _rank(number, own_ms, of=2).write(tmp_path / f"rank{number}.json")
    assert judge_ranks(read_ranks(tmp_path)) == []


def test_a_damaged_file_hides_no_other_and_missing_ranks_are_told(tmp_path: Path) -> None:
    _rank(0, 30).write(tmp_path / "rank0.json")
    (tmp_path / "rank1.json").write_text('{"traceEvents": [')
    reading = read_ranks(tmp_path)
    assert len(reading.ranks) == 1
    assert reading.slowest is None
    assert list(reading.unreadable) == [(tmp_path / "rank1.json").as_posix()]
    assert any("1 of 3 ranks" in note for note in reading.notes)


def test_ranks_are_taken_from_names_where_traces_do_not_tell(tmp_path: Path) -> None:
    for number in (4, 12):
        trace = TraceBuilder()
        trace.step(1, 0, 10)
        trace.kernel(1, 9)
        trace.write(tmp_path / f"run_rank_{number}.json")
    assert [rank.rank for rank in read_ranks(tmp_path).ranks] == [4, 12]


def test_a_directory_without_traces_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTrace, match="one trace per rank"):
        read_ranks(tmp_path)
