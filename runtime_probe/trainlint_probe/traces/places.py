"""Whose lines make the calls of a trace."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from trainlint_probe.traces.events import HostRange, Trace

ROUNDING_MS = 0.002
"""Kineto of 2021 to 2023 wrote whole microseconds: what encloses a call may seem to end before it by two roundings."""


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A line of source, as a trace names it."""

    path: str
    line: int
    function: str = ""
    exact: bool = True
    """Whether the call stands on that line. Frames of Python carry the line of their `def` instead."""

    def __str__(self) -> str:
        if self.exact or not self.function:
            return f"{self.path}:{self.line}"
        return f"{self.function} ({self.path}:{self.line})"


@dataclass(frozen=True, slots=True)
class CallContext:
    """What encloses a call."""

    source: Source | None
    operator: str
    """The outermost operator around the call, "aten::item", or the call's own name where there is none."""
    annotation: str
    """The innermost annotation that is no step: "## forward ##", "Optimizer.step#SGD.step", or empty."""


_Kinded = tuple[HostRange, str]
"""A range, and whether it is an "annotation", a "frame" or an "operator"."""


WAIT = "wait"
"""Names a range of our own deep pass that begins when a wait has ended, and says which line waited."""
_WAITED = f"TL|{WAIT}|"


def places_of(trace: Trace, calls: Iterable[HostRange]) -> dict[HostRange, CallContext]:
    """What encloses each of some calls."""
    asked: dict[str, list[HostRange]] = defaultdict(list)
    for call in sorted(set(calls), key=_order):
        asked[call.thread].append(call)
    around: dict[str, list[_Kinded]] = {thread: [] for thread in asked}
    for kind, ranges in (("annotation", trace.annotations), ("frame", trace.frames), ("operator", trace.operators)):
        for item in ranges:
            if item.thread in around:
                around[item.thread].append((item, kind))
    found: dict[HostRange, CallContext] = {}
    for thread, questions in asked.items():
        opening = sorted(around[thread], key=lambda pair: _order(pair[0]))
        open_ranges: list[_Kinded] = []
        at = 0
        for call in questions:
            while at < len(opening) and opening[at][0].start <= call.start:
                _close(open_ranges, opening[at][0].start)
                open_ranges.append(opening[at])
                at += 1
            _close(open_ranges, call.start)
            around_it = [pair for pair in open_ranges if pair[0].end >= call.end - ROUNDING_MS]
            told = _told_afterwards(call, around_it, opening[at:])
            found[call] = _call_context(call, [*around_it, *told])
    return found


def _told_afterwards(call: HostRange, around: Sequence[_Kinded], later: Iterable[_Kinded]) -> list[_Kinded]:
    """The range that says which line waited: it comes when PyTorch's function returns, before the next operator."""
    returns = max((item.end for item, kind in around if kind == "operator"), default=call.end)
    for item, kind in later:
        if item.name.startswith(_WAITED):
            return [(item, "annotation")]
        if kind == "operator" and item.start >= returns - ROUNDING_MS:
            break
    return []


def _order(item: HostRange) -> tuple[float, float]:
    return item.start, -item.end


def _close(open_ranges: list[_Kinded], time: float) -> None:
    while open_ranges and open_ranges[-1][0].end <= time:
        open_ranges.pop()


def _call_context(call: HostRange, around: Sequence[_Kinded]) -> CallContext:
    operator = next((item.name for item, kind in around if kind == "operator"), call.name)
    annotations = [
        item.name for item, kind in around if kind == "annotation" and not item.name.startswith(("ProfilerStep", "TL|"))
    ]
    return CallContext(_source(around), operator, annotations[-1] if annotations else "")


def _source_in_name(name: str) -> Source | None:
    """The line that the name of a range of our own says."""
    path, _, line = name.split("|", 2)[-1].rpartition(":")
    return Source(path.replace("\\", "/"), int(line)) if path and line.isdigit() else None


def _source(around: Sequence[_Kinded]) -> Source | None:
    """A range that our own deep pass opened says it exactly, lines at an operator nearly so, frames their `def`."""
    for item, kind in reversed(around):
        told = _source_in_name(item.name) if kind != "frame" and item.name.startswith("TL|") else None
        if told:
            return told
    for item, kind in reversed(around):
        if kind == "operator" and item.stack:
            return _first_of_user(_line(text, exact=True) for text in item.stack.split(";"))
    return _first_of_user(_line(item.name, exact=False) for item, kind in reversed(around) if kind == "frame")


def _first_of_user(lines: Iterable[Source | None]) -> Source | None:
    """The first line that stands in no library."""
    return next((line for line in lines if line and not of_a_library(line.path)), None)


_FRAME = re.compile(r"(?P<path>.+\.py)\((?P<line>\d+)\): (?P<function>.+)$")


@cache
def _line(text: str, *, exact: bool) -> Source | None:
    frame = _FRAME.match(text.strip())
    if not frame:
        return None
    return Source(frame["path"].replace("\\", "/"), int(frame["line"]), frame["function"], exact)


@cache
def of_a_library(path: str) -> bool:
    """Whether PyTorch or Python itself, and so no line of interest. Kineto cuts what stands on Python's path."""
    first, _, rest = path.partition("/")
    return (
        first in ("torch", "torchvision", "<frozen", "runpy.py")
        or "/torch/" in path
        or re.search(r"lib/python3\.\d+/(?!site-packages|dist-packages)", path) is not None
        or first.removesuffix(".py") in sys.stdlib_module_names
        or (not rest and path.startswith("<"))
    )
