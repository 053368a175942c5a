"""The comparison of the simulation with a GPU, on events in the form that Kineto writes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from benchmarks.simulated.__main__ import main
from benchmarks.simulated.comparison import Measured, Predicted, Traced, other_lines, predicted, table, traced
from trainlint.evidence.interval import Interval


def event(cat: str, name: str, ts: float, dur: float, **args: object) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 7, "ts": ts, "dur": dur, "args": args}


TRACE = [
    event("user_annotation", "ProfilerStep#1", 1000, 500),
    event("user_annotation", "ProfilerStep#2", 1500, 700),
    event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1010, 5, bytes=64),
    event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1510, 5, bytes=64),
    event("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 1100, 2, bytes=4),
    event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 1110, 2, bytes=4),
    event("cuda_runtime", "cudaStreamSynchronize", 1020, 40),
    event("cuda_runtime", "cudaMemcpyAsync", 1015, 4),
    event("cuda_runtime", "cudaDeviceSynchronize", 1600, 60),
    event("cuda_runtime", "cudaDeviceSynchronize", 3000, 900),
]


def test_a_trace_is_read_a_step() -> None:
    assert traced(TRACE) == Traced(step_ms=0.6, to_device=1.0, to_host=0.5, blocked_ms=0.05)


def test_a_trace_without_steps_is_an_error() -> None:
    with pytest.raises(ValueError, match="has no ProfilerStep"):
        traced(TRACE[2:])


def test_what_the_probe_says_is_read_a_step() -> None:
    events = [
        {"kind": "copy", "direction": "host to device", "count": 4, "line": 3, "blocking": True, "what": "Tensor.to"},
        {"kind": "copy", "direction": "host to device", "count": 4, "line": 4, "blocking": False, "what": "Tensor.to"},
        {"kind": "wait", "direction": "", "count": 2, "line": 5, "blocking": True, "what": "Tensor.item"},
        {"kind": "wait", "direction": "", "count": 4, "line": 6, "blocking": True, "what": "torch.cuda.synchronize"},
        {"kind": "collective", "direction": "", "count": 4, "line": 7, "blocking": False, "what": "all_reduce"},
    ]
    simulated = {
        "events": events,
        "step_ms": {"low": 1.0, "high": 2.0},
        "prices": [{"gain": {"low": 0.0, "high": 0.5}}],
        "peak": [512],
    }

    said = predicted({"simulated": simulated, "steps": [{}] * 4})

    assert said == Predicted({3: 1.0, 5: 0.5, 6: 1.0}, 2.0, 0.5, 512, Interval(1.0, 2.0), 0.5)


def test_lines_and_figures_that_differ_are_told() -> None:
    said = Predicted({3: 1.0, 5: 0.5}, 2.0, 0.5, 1_000_000, Interval(1.0, 2.0), 0.5)
    seen = Measured({3: 1.0, 9: 2.0}, 2_000_000, Traced(3.0, 2.0, 0.5, 0.25))

    assert other_lines(said, seen) == ["line 5: 0.5 said, 0 seen", "line 9: 0 said, 2 seen"]
    text = table({"gan": (said, seen)}, {"gpt": "the time was up"}, "a card")
    assert "| gan | 2, 2 differ | 2 / 2 | 0.5 / 0.5 | 1.00 / 2.00 (differs) | " in text
    assert " | 1.00 to 2.00 / 3.00 (differs) | 0.50 / 0.25 |" in text
    assert "- gan, line 9: 0 said, 2 seen\n- gpt was not compared: the time was up" in text


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.count(".") == 1
