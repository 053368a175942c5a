"""What the host spends the steps on, as far as a trace names it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trainlint.evidence.run import Phase
from trainlint_probe.traces.copies import Copy
from trainlint_probe.traces.events import Trace
from trainlint_probe.traces.intervals import Coverage, Span, bridged, overlap, subtract, total, union
from trainlint_probe.traces.steps import Window
from trainlint_probe.traces.syncs import Wait

BETWEEN_NODES_MS = 1.0
"""Backward is a row of nodes of the graph; what lies between two of them for no longer than this is backward, too."""
_DATA_WAIT = re.compile(r"enumerate\(.+__next__")
_FORWARD = re.compile(r"(?i)(?:.*\.|## )forward\b")
_OPTIMIZER = re.compile(r"Optimizer\.(?:step|zero_grad)#")
_BACKWARD = re.compile(r"autograd::engine::evaluate_function|\w+Backward\d*$")


def data_waits(trace: Trace) -> list[Span]:
    """When the host waits for a batch of a DataLoader."""
    return union((item.start, item.end) for item in trace.annotations if _DATA_WAIT.match(item.name))


def phases_of(trace: Trace, window: Window, copies: Iterable[Copy], waits: Sequence[Wait]) -> dict[Phase, float]:
    """Milliseconds per step by phase; together the step.

    A phase that the trace cannot tell is absent, and its time is part of Phase.OTHER: forward has a name only if
    frames were recorded, or if a wrapper (DistributedDataParallel) or the user named it.
    """
    ends = {wait.call: wait.end for wait in waits}
    to_device = [copy.call for copy in copies if copy.call and copy.direction == "HtoD"]
    backward = _backward(trace)
    optimizer = _spans(trace, _OPTIMIZER)
    # The first that holds counts: what is called comes before its caller. A backward may step an optimizer in a hook,
    # an optimizer may call forward and backward in a closure, and checkpointing calls forward within backward.
    claims = (
        (Phase.DATA_WAIT, data_waits(trace)),
        (Phase.OPTIMIZER, _inside(optimizer, backward)),
        (Phase.BACKWARD, backward),
        (Phase.HOST_TO_DEVICE, union((call.start, ends.get(call, call.end)) for call in to_device)),
        (Phase.FORWARD, _forward(trace)),
        (Phase.OPTIMIZER, optimizer),
    )
    left: list[Span] = [(window.start, window.end)]
    found: dict[Phase, list[Span]] = {}
    for phase, spans in claims:
        claimed = overlap(left, spans)
        if claimed:
            found[phase] = union([*found.get(phase, ()), *claimed])
        left = subtract(left, spans)
    found[Phase.OTHER] = left
    return {phase: total(spans) / window.count for phase, spans in found.items()}


def _spans(trace: Trace, name: re.Pattern[str]) -> list[Span]:
    return union((item.start, item.end) for item in trace.annotations if name.match(item.name))


def _inside(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """Those that lie wholly within one of the others."""
    coverage = Coverage(others)
    return [(start, end) for start, end in some if coverage.within(start, end) >= (end - start) * (1 - 1e-9)]


def _backward(trace: Trace) -> list[Span]:
    nodes = union((item.start, item.end) for item in trace.operators if _BACKWARD.match(item.name))
    return bridged(nodes, BETWEEN_NODES_MS)


def _forward(trace: Trace) -> list[Span]:
    modules = [(frame.start, frame.end) for frame in trace.frames if frame.name.startswith("nn.Module: ")]
    return union([*modules, *_spans(trace, _FORWARD)])
