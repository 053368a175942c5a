"""What ranks tell each other, and how much of it hides behind arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trainlint_probe.traces.device_work.kernels import KernelClass, kind_of
from trainlint_probe.traces.events import DeviceWork, Trace, Work
from trainlint_probe.traces.intervals import Span, overlap, subtract, total, union
from trainlint_probe.traces.steps import Window

# NCCL's and RCCL's annotations say only when the host launched; these say how long it waits.
_ON_HOST = re.compile(r"(?:gloo|mpi|ucc):")


@dataclass(frozen=True, slots=True)
class Communication:
    """Collectives and sends of one rank, in milliseconds per step."""

    ms: float
    """While any of them runs. The wait for slower ranks is part of it."""
    exposed: float | None
    """While no other kernel runs beside it. None where the host communicates: the trace does not tell what it hides."""

    @property
    def overlapped(self) -> float | None:
        """The share that runs beside arithmetic, 0 to 1."""
        return None if self.exposed is None or not self.ms else 1 - self.exposed / self.ms


def communication_of(
    trace: Trace, work: Iterable[DeviceWork], asked: Iterable[DeviceWork], window: Window
) -> Communication | None:
    """The communication that a window asks for, or None where there is none.

    Args:
        trace: the events of the host.
        work: all of the device; whatever runs beside the communication hides it.
        asked: what the window asked for.
        window: the steps.
    """
    collectives = union((item.start, item.end) for item in asked if communicates(item))
    if collectives:
        exposed = total(subtract(collectives, arithmetic(work)))
        return Communication(total(collectives) / window.count, exposed / window.count)
    spans = overlap(host_collectives(trace), [(window.start, window.end)])
    return Communication(total(spans) / window.count, None) if spans else None


def arithmetic(work: Iterable[DeviceWork]) -> list[Span]:
    """When the device runs kernels that compute."""
    return union((item.start, item.end) for item in work if item.kind is Work.KERNEL and not communicates(item))


def communicates(item: DeviceWork) -> bool:
    """Whether a kernel is one of a library for communication."""
    return item.kind is Work.KERNEL and kind_of(item.name).of is KernelClass.COMMUNICATION


def host_collectives(trace: Trace) -> list[Span]:
    """When the host itself communicates."""
    return union((item.start, item.end) for item in trace.annotations if _ON_HOST.match(item.name))
