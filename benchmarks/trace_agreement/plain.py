"""The figures of a trace by a reader of its own: it imports nothing of trainlint, loads the whole file as JSON, and
counts what is open while it walks over the sorted starts and ends.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WORK = ("kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset")
_CALLS = ("cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "runtime", "driver")
_HOST = (*_CALLS, "cpu_op", "operator", "user_annotation")
_MARKS = ("user_annotation", "cpu_op", "operator")


@dataclass(frozen=True, slots=True)
class Figures:
    """What one trace shows, in milliseconds per step."""

    steps: int
    """1 where the trace tells no steps apart."""
    step_ms: float
    idle_ms: float | None
    """For which the busiest device does nothing; None without a device, as the two below."""
    communication_ms: float | None
    """While kernels of NCCL or RCCL run that the steps launched."""
    kernels_ms: float | None
    """All kernels that the steps launched, one after the other."""


def figures(path: Path) -> Figures:
    """Read a trace. Raises ValueError or KeyError where it is none."""
    events = _events(path)
    start, end, steps = _window(events)
    work = _of_busiest([item for item in events if item["cat"].lower() in _WORK])
    step_ms = (end - start) / 1000 / steps
    if not work:
        return Figures(steps, step_ms, None, None, None)
    busy = _covered(_span(item, start, end) for item in work)
    asked = _asked(work, events, start, end, whole=steps == 1 and not _marks(events))
    kernels = [item for item in asked if item["cat"].lower() == "kernel"]
    collectives = [item for item in kernels if re.search("nccl|rccl", item["name"], re.IGNORECASE)]
    return Figures(
        steps,
        step_ms,
        (end - start - busy) / 1000 / steps,
        _covered((_start(item), _end(item)) for item in collectives) / 1000 / steps,
        sum(float(item.get("dur", 0)) for item in kernels) / 1000 / steps,
    )


def _events(path: Path) -> list[Any]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8", "replace")
    loaded = json.loads(text, strict=False)
    listed = loaded if isinstance(loaded, list) else loaded["traceEvents"]
    return [item for item in listed if item.get("ph") == "X" and isinstance(item.get("cat"), str)]


def _window(events: Sequence[Any]) -> tuple[float, float, int]:
    marks = _marks(events)
    if marks and marks[0]["name"].startswith("ProfilerStep"):
        kept = marks[1:] or marks
        return _start(kept[0]), _end(kept[-1]), len(kept)
    if marks:  # from the end of one update to the end of the next
        return _end(marks[0]), _end(marks[-1]), len(marks) - 1
    seen = [item for item in events if item["cat"].lower() in (*_WORK, *_HOST)]
    return min(map(_start, seen)), max(map(_end, seen)), 1


def _marks(events: Iterable[Any]) -> list[Any]:
    """What begins or ends steps."""
    named = sorted((item for item in events if item["cat"].lower() in _MARKS), key=_start)
    steps = [item for item in named if re.match(r"ProfilerStep#?\s*\d", item["name"])]
    updates = [item for item in named if item["name"].startswith("Optimizer.step#")]
    same = [item for item in updates if item["name"] == updates[0]["name"]]
    return steps or (same if len(same) > 1 else [])


def _of_busiest(work: Iterable[Any]) -> list[Any]:
    by_device: dict[int, list[Any]] = defaultdict(list)
    for item in work:
        by_device[int(item.get("args", {}).get("device") or 0)].append(item)
    return max(by_device.values(), key=lambda items: sum(float(item.get("dur", 0)) for item in items), default=[])


def _asked(work: Sequence[Any], events: Iterable[Any], start: float, end: float, *, whole: bool) -> list[Any]:
    """The work that was launched in the window; all of it in a trace without steps."""
    if whole:
        return list(work)
    launched = {
        item["args"]["correlation"]: _start(item)
        for item in events
        if item["cat"].lower() in _CALLS and "correlation" in item.get("args", {})
    }
    times = [launched.get(item.get("args", {}).get("correlation")) for item in work]
    if not launched:
        times = [_start(item) for item in work]
    return [item for item, time in zip(work, times, strict=True) if time is not None and start <= time < end]


def _start(item: Any) -> float:
    return float(item["ts"])


def _end(item: Any) -> float:
    return float(item["ts"]) + float(item.get("dur", 0))


def _span(item: Any, start: float, end: float) -> tuple[float, float]:
    return max(_start(item), start), min(_end(item), end)


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """For how long at least one of the spans is open."""
    edges = sorted(edge for start, end in spans if start < end for edge in ((start, 1), (end, -1)))
    covered, opened, began = 0.0, 0, 0.0
    for at, change in edges:
        if not opened:
            began = at
        opened += change
        if not opened:
            covered += at - began
    return covered
