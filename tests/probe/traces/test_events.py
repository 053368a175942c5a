"""What files hold, and what is said of those that hold no trace."""

import gzip
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.probe.traces.builder import DAY, TraceBuilder, idle_share
from trainlint_probe.traces import event_stream, events
from trainlint_probe.traces.events import UnreadableTrace, Work, read_events
from trainlint_probe.traces.judge import judge
from trainlint_probe.traces.reading import read_trace


def _small() -> TraceBuilder:
    trace = TraceBuilder(rank=3, world_size=8).on("NVIDIA A100-SXM4-80GB")
    trace.step(1, 0, 10)
    trace.kernel(2, 5)
    return trace


def test_a_trace_is_read_plain_or_gzipped(tmp_path: Path) -> None:
    plain = _small().write(tmp_path / "trace.json")
    packed = tmp_path / "trace.pt.trace.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    trace = read_events(packed)
    assert read_events(plain).work == trace.work
    [kernel] = trace.work
    assert (kernel.kind, kernel.start, kernel.end) == (Work.KERNEL, 2.0, 5.0)
    assert (trace.rank, trace.world_size) == (3, 8)
    assert trace.devices[0].capability == (8, 0)


def test_a_bare_list_of_events_is_a_trace_as_well(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(_small().events))
    assert len(read_events(path).work) == 1


def test_kineto_of_2021_has_other_categories_and_textual_threads(tmp_path: Path) -> None:
    trace = TraceBuilder()
    trace.event("Operator", "ProfilerStep#5", 0, 10, "25738")
    trace.event("Operator", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 4, "25738")
    stack = "torch/autograd/profiler.py(611): __init__;train.py(44): <module>"
    trace.event("Operator", "aten::to", 4, 7, "25738", **{"Call stack": stack})
    trace.event("Runtime", "cudaMemcpyAsync", 5, 6, "25738", correlation=9)
    trace.event("Memcpy", "Memcpy HtoD (Pageable -> Device)", 5, 6, "stream 7", correlation=9, stream=7, bytes=64)
    trace.event("Kernel", "volta_sgemm_64x64_nt", 7, 8, "stream 7", correlation=10, device=0, stream=7)
    trace.event("Memset", "Memset (Device)", 8, 9, "stream 7", correlation=11, device=0, stream=7)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.step_ms == pytest.approx(10)
    assert {phase.value: ms for phase, ms in reading.phases.items()}["data wait"] == pytest.approx(3)
    assert reading.device is not None
    [copy] = reading.device.copies
    assert copy.memory == "pageable"
    assert str(copy.source) == "train.py:44"


def test_cuda_sync_events_are_waits_and_no_work_of_the_device(tmp_path: Path) -> None:
    trace = _small()
    trace.event("cuda_sync", "Stream Sync", 5, 9, 7, correlation=77, device=0, stream=7)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert idle_share(reading) == pytest.approx(0.7)


def test_events_without_a_time_are_left_out_and_counted(tmp_path: Path) -> None:
    trace = _small()
    trace.events += [{"ph": "X", "cat": "kernel", "name": "lost"}]
    trace.events += [{"ph": "X", "cat": "kernel", "name": "backwards", "ts": DAY, "dur": -5}]
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert "2 events had no name or no time and were left out." in reading.notes


def test_a_file_that_is_cut_off_says_so_and_names_itself(tmp_path: Path) -> None:
    whole = _small().write(tmp_path / "whole.json").read_bytes()
    for number, content in enumerate((whole[:200], whole[:-2], gzip.compress(whole)[:-30], b"\x1f\x8bno gzip")):
        path = tmp_path / f"cut{number}.json"
        path.write_bytes(content)
        with pytest.raises(UnreadableTrace, match=f"cut{number}.json .*again"):
            read_events(path)


_ODD = st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=5) | st.lists(st.integers())
_ODD_EVENT = st.fixed_dictionaries(
    {"ph": st.just("X"), "cat": st.sampled_from(["kernel", "gpu_memcpy", "cuda_runtime", "cpu_op", "python_function"])},
    optional={
        "name": st.sampled_from(["cudaMemcpyAsync", "Memcpy HtoD", "ProfilerStep#1", "cudaMalloc"]) | _ODD,
        "ts": st.integers(0, 100) | _ODD,
        "dur": st.integers(0, 100) | _ODD,
        "pid": _ODD,
        "tid": _ODD,
        "args": st.dictionaries(st.sampled_from(["correlation", "device", "stream", "bytes", "Call stack"]), _ODD)
        | _ODD,
    },
)
_ODD_ABOUT = st.dictionaries(st.sampled_from(["deviceProperties", "distributedInfo"]), _ODD)


@settings(deadline=None)
@given(st.lists(_ODD_EVENT | _ODD, max_size=8), _ODD_ABOUT)
def test_odd_values_give_a_reading_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, events: list[object], about: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("odd") / "trace.json"
    path.write_text(json.dumps({**about, "traceEvents": events}))
    with suppress(UnreadableTrace):
        judge(read_trace(path))


def test_nothing_that_reads_traces_imports_pytorch() -> None:
    modules = "judge, ranks, reading"
    program = f"import sys; from trainlint_probe.traces import {modules}; sys.exit('torch' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_other_files_are_no_traces_and_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"lr": 0.1}')
    with pytest.raises(UnreadableTrace, match=r"holds no list of events.*export_chrome_trace"):
        read_events(config)
    empty = tmp_path / "empty.json"
    empty.write_text('{"traceEvents": []}')
    with pytest.raises(UnreadableTrace, match=r"no event of torch.profiler.*profile at least one step"):
        read_events(empty)
    with pytest.raises(UnreadableTrace, match=r"absent.json cannot be read \(No such file or directory\)"):
        read_events(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"traceEvents": [' + '{"a":' * 100_000, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ('{"about": ' + "[" * 100_000 + ', "traceEvents": []}', "nested too deeply"),
        ('{"traceEvents": [' + "1" * 10_000 + "]}", "holds what no profiler writes"),
    ],
)
def test_what_is_nested_without_end_is_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(UnreadableTrace, match=f"deep.json .*{why}") as refused:
        read_events(path)
    assert "\n" not in str(refused.value)


def test_times_that_no_trace_holds_are_damaged_events(tmp_path: Path) -> None:
    """Their sum would be infinite."""
    path = tmp_path / "trace.json"
    event = {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 9e307, "dur": 9e307}
    path.write_text(json.dumps({"traceEvents": [event, {**event, "ts": 1, "dur": 2}]}))
    trace = read_events(path)
    assert (trace.damaged, len(trace.work)) == (1, 1)


def test_a_time_beyond_all_numbers_is_a_damaged_event(tmp_path: Path) -> None:
    trace = _small()
    path = trace.write(tmp_path / "trace.json")
    whole = json.loads(path.read_text())
    whole["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "k", "ts": 10**400})
    path.write_text(json.dumps(whole))
    assert read_events(path).damaged == 1


def event(number: int) -> str:
    return f'{{"ph": "X", "cat": "cpu_op", "name": "op{number}", "pid": 1, "tid": 1, "ts": {number}, "dur": 1}}'


MANY = ",".join(map(event, range(1000)))


@pytest.mark.parametrize(
    ("bounds", "text", "why"),
    [
        ({"TRACE_BYTES": 50_000}, " " * 100_000, "more than 50,000 bytes once it is unpacked"),
        ({"MOST_CHARACTERS": 50_000}, " " * 200_000, "more than 50,000 characters before its events"),
        ({"MOST_CHARACTERS": 50_000}, f'{{"x": [{"{}," * 30_000}{{}}], "traceEvents": []}}', "before its events"),
        ({"MOST_CHARACTERS": 50_000}, f'{{"traceEvents": [], "x": [{"{}," * 30_000}{{}}]}}', "behind its events"),
        ({"MOST_CHARACTERS": 50_000}, f'{{"traceEvents": [{{"args": [{"{}," * 30_000}{{}}]}}]}}', "in one event"),
        ({"MOST_EVENTS": 999}, f"[{MANY}]", "more than 999 events"),
        ({"MOST_TEXT": 4000}, f"[{MANY}]", "names and stacks of more than 4,000 characters"),
    ],
    ids=["bytes", "spaces", "before", "behind", "one event", "events", "names"],
)
def test_a_small_file_that_takes_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bounds: dict[str, int], text: str, why: str
) -> None:
    for name, bound in bounds.items():
        monkeypatch.setattr(events if hasattr(events, name) else event_stream, name, bound)
    monkeypatch.setattr(event_stream, "_AT_ONCE", 10_000)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(UnreadableTrace, match=rf"bomb.json.gz holds .*{why}.*: profile fewer steps"):
        read_events(path)


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_events_are_the_same_wherever_reading_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    path = tmp_path / "trace.json"
    text = json.dumps(
        {"é": [1, {}], "traceEvents": _small().events, "distributedInfo": {"rank": 3}}, ensure_ascii=False
    )
    path.write_text(text, encoding="utf-8")
    whole = read_events(path)
    monkeypatch.setattr(event_stream, "_AT_ONCE", at_once)
    assert read_events(path) == whole
    assert (len(whole.work), whole.rank) == (1, 3)


def test_a_trace_without_a_device_says_what_cannot_be_known(tmp_path: Path) -> None:
    trace = TraceBuilder(rank=0, world_size=2)
    trace.steps(10, 3)
    for start in (12, 22):
        trace.annotation("gloo:all_reduce", start, start + 4)
    reading = read_trace(trace.write(tmp_path / "trace.json"))
    assert reading.device is None
    assert idle_share(reading) is None
    assert reading.communication is not None
    assert reading.communication.ms == pytest.approx(4)
    assert reading.communication.exposed is None
    assert any("no GPU events" in note and "ProfilerActivity.CUDA" in note for note in reading.notes)
