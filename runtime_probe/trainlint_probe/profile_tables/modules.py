"""How much time each `nn.Module` takes by itself: in forward, and in the part of backward that belongs to it.

Forward is the time between a module's call and its return. Backward belongs to the module whose forward made the node:
PyTorch ties each node to the operator that made it, and the trace has these links. What backward does without such a
link, as when it adds gradients up, belongs to no module here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trainlint_probe.profile_tables.innermost import Innermost, by_thread
from trainlint_probe.traces.events import DeviceWork, HostRange, Trace
from trainlint_probe.traces.intervals import Coverage
from trainlint_probe.traces.places import MODULE
from trainlint_probe.traces.steps import Window

_NODE = "autograd::engine::evaluate_function"
_FRAME = "nn.Module: "
_UNLINKED = ""


@dataclass(frozen=True, slots=True)
class ModuleTime:
    """All calls of one module, per step. Times are the host's, without those of the modules inside of it."""

    path: str
    """As in "ResNet.layer1.0.conv1": the class of the outermost module, and the names of attributes from there."""
    calls: float
    forward_ms: float
    backward_ms: float | None
    """With what is computed again for it, as by activation checkpointing; None where the trace has no links between
    forward and backward."""
    device_ms: float | None = None
    """The time of the work that it asked a device for, forward and backward; None where no device was recorded."""
    whole_ms: float = 0.0
    """Forward and backward, with all modules below it."""

    @property
    def own_ms(self) -> float:
        """Forward and backward."""
        return self.forward_ms + (self.backward_ms or 0.0)


@dataclass(frozen=True, slots=True)
class Modules:
    """The modules of a step, that with most time first: the device's where there is one, or else the host's."""

    rows: tuple[ModuleTime, ...]
    forward_ms: float
    """All of them in forward."""
    backward_ms: float | None
    unlinked_ms: float
    """Of backward, what belongs to no module."""
    device_ms: float | None = None
    """All work of the device that a step asked for; None where no device was recorded."""
    device_covered_ms: float | None = None
    """Of that, what modules asked for."""


@dataclass(slots=True)
class _PathTime:
    """What was found of one path so far, over all steps."""

    forward: float = 0.0
    backward: float = 0.0
    device: float = 0.0
    calls: int = 0

    @property
    def is_any(self) -> bool:
        """Whether anything was."""
        return bool(self.calls or self.forward or self.backward)


@dataclass(frozen=True, slots=True)
class _Labels:
    """What each range of modules and of backward stands for."""

    paths: Mapping[HostRange, str]
    backward: Mapping[HostRange, str] = field(default_factory=dict)
    """Nodes of backward, with the path of their module; `_UNLINKED` where there is none."""
    again: frozenset[HostRange] = frozenset()
    """Modules that are called within backward."""

    def of(self, item: HostRange) -> tuple[str, bool]:
        """The path, and whether it is backward's."""
        if item in self.backward:
            return self.backward[item], True
        return self.paths[item], item in self.again


def modules_of(
    trace: Trace, window: Window, asked: Sequence[DeviceWork], calls: Mapping[int, HostRange]
) -> Modules | None:
    """The modules of a window; None where the trace does not know any. The arguments are those of `operators_of`."""
    paths = _paths(trace)
    if not paths:
        return None
    spent = _time_by_path(window, asked, calls, _labels(trace, paths))
    unlinked = spent.pop(_UNLINKED, _PathTime()).backward / window.count
    has_links, has_device = bool(trace.links), bool(trace.work)
    found = _with_below([_row(path, one, window, has_links, has_device) for path, one in spent.items() if one.is_any])
    rows = tuple(sorted(found, key=lambda row: (-(row.device_ms or 0.0), -row.own_ms, row.path)))
    backward = sum(row.backward_ms or 0.0 for row in rows)
    device = sum(row.device_ms or 0.0 for row in rows)
    all_device = sum(work.end - work.start for work in asked) / window.count
    return Modules(
        rows,
        sum(row.forward_ms for row in rows),
        backward if has_links else None,
        unlinked if has_links else 0.0,
        all_device if has_device else None,
        device if has_device else None,
    )


def _time_by_path(
    window: Window, asked: Sequence[DeviceWork], calls: Mapping[int, HostRange], labels: _Labels
) -> dict[str, _PathTime]:
    """What was found of each path, and of backward without one."""
    innermost = Innermost([*labels.paths, *labels.backward])
    spent: dict[str, _PathTime] = defaultdict(_PathTime)
    for item, start, end in innermost.within(window.start, window.end):
        path, is_backward = labels.of(item)
        if is_backward:
            spent[path].backward += end - start
        else:
            spent[path].forward += end - start
    for item, path in labels.paths.items():
        spent[path].calls += window.start <= item.start < window.end
    for work in asked:
        call = calls.get(work.correlation or -1)
        around = innermost.at(call.thread, call.start) if call is not None else None
        if around is not None:
            spent[labels.of(around)[0]].device += work.end - work.start
    return spent


def _row(path: str, found: _PathTime, window: Window, has_links: bool, has_device: bool) -> ModuleTime:
    return ModuleTime(
        path,
        found.calls / window.count,
        found.forward / window.count,
        found.backward / window.count if has_links else None,
        found.device / window.count if has_device else None,
    )


def _paths(trace: Trace) -> dict[HostRange, str]:
    """The calls of modules: ranges of our own deep pass, or the profiler's frames, which know classes alone."""
    named = {item: item.name.removeprefix(MODULE) for item in trace.annotations if item.name.startswith(MODULE)}
    return named or _of_frames(item for item in trace.frames if item.name.startswith(_FRAME))


def _of_frames(frames: Iterable[HostRange]) -> dict[HostRange, str]:
    """Frames name a class and a number ("Linear_0"): the path is that of the frames around it."""
    found: dict[HostRange, str] = {}
    for items in by_thread(frames).values():
        around: list[HostRange] = []
        for item in sorted(items, key=lambda one: (one.start, -one.end)):
            while around and around[-1].end <= item.start:
                around.pop()
            above = f"{found[around[-1]]}." if around else ""
            found[item] = above + item.name.removeprefix(_FRAME)
            around.append(item)
    return found


def _labels(trace: Trace, paths: Mapping[HostRange, str]) -> _Labels:
    nodes = [item for item in trace.operators if item.name.startswith(_NODE)] if trace.links else []
    around_nodes, around_modules = Innermost(nodes), Innermost(paths)
    backward = dict.fromkeys(nodes, _UNLINKED)
    for link in trace.links:
        node = around_nodes.at(link.backward_thread, link.backward_at)
        module = around_modules.at(link.forward_thread, link.forward_at)
        if node is not None and module is not None:
            backward[node] = paths[module]
    inside = {thread: Coverage((item.start, item.end) for item in items) for thread, items in by_thread(nodes).items()}
    again = frozenset(item for item in paths if item.thread in inside and inside[item.thread].covers(item.start))
    return _Labels(paths, backward, again)


def _with_below(rows: Sequence[ModuleTime]) -> Iterator[ModuleTime]:
    whole: dict[str, float] = defaultdict(float)
    for row in rows:
        for end in [match.start() for match in re.finditer(r"\.", row.path)] + [len(row.path)]:
            whole[row.path[:end]] += row.own_ms
    for row in rows:
        yield replace(row, whole_ms=whole[row.path])
