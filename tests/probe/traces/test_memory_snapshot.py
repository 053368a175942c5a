"""Snapshots of the allocator."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from trainlint_probe.traces import guarded_snapshot
from trainlint_probe.traces.guarded_snapshot import read_snapshot
from trainlint_probe.traces.judge import judge_memory
from trainlint_probe.traces.memory_snapshot import UnreadableSnapshot

MIB = 1 << 20


def _frames(*lines: tuple[str, int, str]) -> list[dict[str, Any]]:
    return [{"filename": path, "line": line, "name": name} for path, line, name in lines]


_TORCH = "/opt/lib/python3.11/site-packages/torch"
_IN_MODEL = _frames((f"{_TORCH}/nn/functional.py", 9, "relu"), ("/me/net.py", 20, "forward"))
_EMPTYING = _frames((f"{_TORCH}/cuda/memory.py", 170, "empty_cache"), ("/me/train.py", 33, "train"))


def _block(size: int, state: str, frames: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"size": size * MIB, "requested_size": size * MIB, "address": 0, "state": state, "frames": frames or []}


def _segment(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"total_size": sum(block["size"] for block in blocks), "blocks": list(blocks), "device": 0}


def _write(path: Path, segments: list[dict[str, Any]], *history: dict[str, Any]) -> Path:
    path.write_bytes(pickle.dumps({"segments": segments, "device_traces": [list(history)]}))
    return path


def test_holes_are_told_apart_from_segments_that_nothing_uses(tmp_path: Path) -> None:
    used = _segment(
        _block(40, "active_allocated", _IN_MODEL), _block(50, "inactive"), _block(10, "active_pending_free")
    )
    reading = read_snapshot(_write(tmp_path / "s.pickle", [used, _segment(_block(100, "inactive"))]))
    assert (reading.reserved, reading.allocated, reading.pending) == (200 * MIB, 40 * MIB, 10 * MIB)
    assert (reading.unused, reading.inactive_split) == (100 * MIB, 50 * MIB)
    assert reading.fragmentation == pytest.approx(0.25)
    assert [finding.name for finding in judge_memory(reading)] == ["memory-fragmented"]


def test_the_largest_holders_are_named_by_the_users_own_line(tmp_path: Path) -> None:
    segment = _segment(*[_block(30, "active_allocated", _IN_MODEL)] * 2, _block(5, "active_allocated"))
    reading = read_snapshot(_write(tmp_path / "s.pickle", [segment]))
    assert [(str(held.source), held.bytes, held.blocks) for held in reading.largest] == [
        ("/me/net.py:20", 60 * MIB, 2),
        ("None", 5 * MIB, 1),
    ]


def test_an_emptied_cache_is_named_by_its_line(tmp_path: Path) -> None:
    history: list[dict[str, Any]] = [{"action": "segment_alloc", "size": 20 * MIB, "frames": _IN_MODEL}] * 3
    for _ in range(4):
        history.append({"action": "segment_free", "size": 20 * MIB, "frames": _EMPTYING})
        history.append({"action": "segment_alloc", "size": 20 * MIB, "frames": _IN_MODEL})
    reading = read_snapshot(_write(tmp_path / "s.pickle", [_segment(_block(20, "active_allocated"))], *history))
    assert reading.churn is not None
    assert (reading.churn.releases, reading.churn.requests_after) == (4, 4)
    assert reading.churn.empties_cache
    [finding] = judge_memory(reading)
    assert finding.name == "allocator-churn"
    assert str(finding.source) == "/me/train.py:33"


def test_memory_that_is_only_asked_for_is_growth_and_no_churn(tmp_path: Path) -> None:
    history = [{"action": "segment_alloc", "size": MIB, "frames": _IN_MODEL}] * 5
    reading = read_snapshot(_write(tmp_path / "s.pickle", [_segment(_block(5, "active_allocated"))], *history))
    assert reading.churn is None
    assert judge_memory(reading) == []


def test_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    reading = read_snapshot(_write(tmp_path / "s.pickle", [_segment(_block(5, "active_allocated"))]))
    assert any("_record_memory_history" in note for note in reading.notes)
    assert any("no history" in note for note in reading.notes)


class _Harmful:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_nothing_in_a_snapshot_is_run(tmp_path: Path) -> None:
    path, mark = tmp_path / "s.pickle", tmp_path / "mark"
    path.write_bytes(pickle.dumps({"segments": [_Harmful(mark)]}))
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle is no snapshot .*plain data alone"):
        read_snapshot(path)
    assert not mark.exists()


def test_a_snapshot_of_another_shape_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(pickle.dumps({"segments": [{"total_size": "large", "blocks": 3}], "device_traces": 7}))
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle holds a snapshot of another shape"):
        read_snapshot(path)


def test_other_files_are_no_snapshots(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"\x80\x04", b"not a pickle", pickle.dumps([1, 2]))):
        path = tmp_path / f"{number}.pickle"
        path.write_bytes(content)
        with pytest.raises(UnreadableSnapshot, match=rf"{number}.pickle .*_dump_snapshot"):
            read_snapshot(path)
    with pytest.raises(UnreadableSnapshot, match="cannot be read"):
        read_snapshot(tmp_path / "absent.pickle")


def nested(deep: int) -> bytes:
    """A list in a list in a list, a byte or two for each."""
    return b"\x80\x04" + b"]" * deep + b"a" * (deep - 1) + b"."


def endless_hash() -> bytes:
    """A dict whose key is a pair of a pair of ... of the same: to hash it takes 2**200 steps."""
    twice = [b"h" + bytes([number]) for number in range(200)]
    pairs = b"".join(one + one + b"\x86q" + bytes([number]) for number, one in enumerate(twice, 1))
    return b"\x80\x04)q\x00" + pairs + b"}h\xc8K\x01s."


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(nested(2_000_000), id="deep"),
        pytest.param(b"\x80\x04Nr\xff\xff\xff\x7f.", id="memo of 32 GB"),
        pytest.param(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", id="text of an exabyte"),
        pytest.param(b"\x80\x04C\xff", id="cut off"),
    ],
)
def test_a_pickle_that_asks_for_too_much_is_one_sentence(tmp_path: Path, bomb: bytes) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(bomb)
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle .*_dump_snapshot") as refused:
        read_snapshot(path)
    assert "\n" not in str(refused.value)


def test_a_small_pickle_gets_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_snapshot, "_LEAST_MEMORY", 300_000_000)
    path = tmp_path / "s.pickle"
    path.write_bytes(b"\x80\x04Nr" + (30_000_000).to_bytes(4, "little") + b".")  # a memo of 480 MB
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle .*takes (too much|more) memory"):
        read_snapshot(path)


def test_a_large_snapshot_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_snapshot, "SNAPSHOT_BYTES", 10)
    path = tmp_path / "s.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": []}))
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle is larger than .*10 bytes"):
        read_snapshot(path)


def test_a_pickle_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_snapshot, "_PATIENCE", 1.0)
    path = tmp_path / "s.pickle"
    path.write_bytes(endless_hash())
    with pytest.raises(UnreadableSnapshot, match=r"s.pickle was not read in 1 s"):
        read_snapshot(path)
