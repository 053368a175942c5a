"""The events of a trace that `torch.profiler` wrote: today's Kineto, that of 2021, CUDA and ROCm."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Any

from trainlint_probe.traces.event_stream import BrokenJson, EventStream, NoList, TooLarge


class UnreadableTrace(Exception):
    """A file that holds no trace. Its text is a sentence for people: which file, why, and what to do."""


class Work(Enum):
    """What a device is busy with."""

    KERNEL = "kernel"
    COPY = "copy"
    MEMSET = "memset"


@dataclass(frozen=True, slots=True)
class DeviceWork:
    """A stretch of time in which a stream of a device was busy."""

    kind: Work
    name: str
    start: float
    end: float
    device: int
    stream: str
    correlation: int | None
    """The same number as the call has that asked for it."""
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class HostRange:
    """A stretch of time of a thread of the host: a call of the runtime, an operator, an annotation, a frame."""

    name: str
    start: float
    end: float
    thread: str
    correlation: int | None = None
    stack: str = ""
    """Lines of Python, the innermost first, where the trace has them at operators (Kineto of 2021)."""


@dataclass(frozen=True, slots=True)
class Device:
    """An accelerator of the machine."""

    number: int
    name: str
    capability: tuple[int, int] | None = None
    """NVIDIA's compute capability; AMD's numbers look alike and mean another thing."""

    @property
    def amd(self) -> bool:
        """Whether AMD made it."""
        return "AMD" in self.name or "Instinct" in self.name or "Radeon" in self.name


@dataclass(frozen=True, slots=True)
class Trace:
    """The events of a trace, in milliseconds since its first one. Each sequence is sorted by start."""

    path: str
    work: tuple[DeviceWork, ...]
    calls: tuple[HostRange, ...]
    """Calls of CUDA's or ROCm's runtime and driver."""
    operators: tuple[HostRange, ...]
    annotations: tuple[HostRange, ...]
    """What code has named: "ProfilerStep#7", "Optimizer.step#SGD.step", a user's own `record_function`."""
    frames: tuple[HostRange, ...]
    """Functions of Python ("train.py(12): train") and modules ("nn.Module: Linear_0"). Lines are those of `def`."""
    devices: tuple[Device, ...] = ()
    rank: int | None = None
    world_size: int | None = None
    damaged: int = 0
    """How many events had no time or no name, and were left out."""

    def calls_by_correlation(self) -> dict[int, HostRange]:
        """Which call asked for a piece of the device's work."""
        return {call.correlation: call for call in self.calls if call.correlation is not None}


def read_events(path: Path | str) -> Trace:
    """Read a trace, gzipped or not.

    Raises:
        UnreadableTrace: for what is no file, no JSON, cut off, or no trace.
    """
    path = Path(path)
    stream = EventStream(path)
    try:
        return _trace_of(path, stream)
    except BrokenJson as error:
        raise UnreadableTrace(
            f"{path} is no whole JSON: at character {error.args[1]} it says that {error.args[0]!r}. "
            "A trace that was cut off while it was written or copied looks like this: write or copy it again."
        ) from error
    except NoList:
        raise UnreadableTrace(
            f'{path} holds no list of events ("traceEvents"): name a file that torch.profiler wrote, '
            "by export_chrome_trace or tensorboard_trace_handler."
        ) from None
    except TooLarge as error:
        raise UnreadableTrace(f"{path} holds {error}: profile fewer steps, without stacks.") from None
    except MemoryError:
        raise UnreadableTrace(f"{path} takes more memory than there is: profile fewer steps, without stacks.") from None
    except RecursionError:
        raise UnreadableTrace(
            f"{path} is nested too deeply for a trace: name a file that torch.profiler wrote."
        ) from None
    except ValueError as error:  # a number of thousands of digits, which Python refuses to read
        raise UnreadableTrace(f"{path} holds what no profiler writes ({error}): write the trace again.") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableTrace(
            f"{path} is a gzip file that was cut off or damaged ({error}): write or copy the trace again."
        ) from error
    except OSError as error:
        raise UnreadableTrace(
            f"{path} cannot be read ({error.strerror}): check its name and its permissions."
        ) from error


def _trace_of(path: Path, stream: EventStream) -> Trace:
    events = _Events()
    for event in stream.events():
        events.add(event)
    return events.trace(path, stream.about)


_WORK = {
    "kernel": Work.KERNEL,
    "gpu_memcpy": Work.COPY,
    "memcpy": Work.COPY,
    "gpu_memset": Work.MEMSET,
    "memset": Work.MEMSET,
}
_CALLS = {"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "runtime", "driver"}
_LATEST_US = 1e18
"""No trace holds a later time, or a longer one: some 30,000 years. Sums of larger numbers would be infinite."""
# Kineto of 2021 has one category for operators and annotations.
_ANNOTATION = re.compile(r"ProfilerStep#|enumerate\(|Optimizer\.|\w+\.forward$|TL\||## |(?:nccl|gloo|mpi|c10d):")


MOST_EVENTS = 4_000_000
"""So many events of one trace are kept, which take 400 bytes of memory each. Real traces have one for 330 bytes or
more, so this is a trace of more than 1 GB."""
MOST_TEXT = 200_000_000
"""The most characters that the names, threads and stacks of a trace have, each different one counted once."""


class _Events:
    """What was read so far."""

    def __init__(self) -> None:
        self.work: list[tuple[Work, str, float, float, int, str, int | None, int | None]] = []
        self.ranges: dict[str, list[tuple[str, float, float, str, int | None, str]]] = {
            kind: [] for kind in ("calls", "operators", "annotations", "frames")
        }
        self.damaged = 0
        self._kept = 0
        self._text = 0
        self._texts: dict[str, str] = {}
        """Each text once: a name stands at thousands of events."""

    def add(self, event: object) -> None:
        """Take what matters of an event."""
        if not isinstance(event, dict):
            self.damaged += 1
            return
        if event.get("ph") != "X":
            return
        category = event.get("cat")
        if not isinstance(category, str):
            return
        category = category.lower()
        work = _WORK.get(category)
        kind = None if work else self._kind(category, event)
        if work is None and kind is None:
            return  # spans of the profiler, flow arrows; cuda_sync events are waits, no work
        try:
            name, start, duration = str(event["name"]), float(event["ts"]), float(event.get("dur", 0))
        except (KeyError, TypeError, ValueError, OverflowError):
            self.damaged += 1
            return
        if not (abs(start) <= _LATEST_US and 0 <= duration <= _LATEST_US):
            self.damaged += 1
            return
        arguments = event.get("args")
        if not isinstance(arguments, dict):
            arguments = {}
        self._count()
        name, correlation = self._once(name), _number(arguments.get("correlation"))
        if work is not None:
            device, size = _number(arguments.get("device")) or 0, _number(arguments.get("bytes"))
            stream = self._once(str(arguments.get("stream", event.get("tid"))))
            self.work.append((work, name, start, start + duration, device, stream, correlation, size))
        elif kind is not None:
            thread = self._once(f"{event.get('pid')}/{event.get('tid')}")
            stack = self._once(str(arguments.get("Call stack", "")))
            self.ranges[kind].append((name, start, start + duration, thread, correlation, stack))

    def _count(self) -> None:
        self._kept += 1
        if self._kept > MOST_EVENTS:
            raise TooLarge(f"more than {MOST_EVENTS:,} events")

    def _once(self, text: str) -> str:
        """The same text, without a copy of one that is known."""
        known = self._texts.setdefault(text, text)
        if known is text:
            self._text += len(text)
            if self._text > MOST_TEXT:
                raise TooLarge(f"names and stacks of more than {MOST_TEXT:,} characters")
        return known

    def _kind(self, category: str, event: Mapping[str, Any]) -> str | None:
        if category in _CALLS:
            return "calls"
        if category == "python_function":
            return "frames"
        if category == "user_annotation":
            return "annotations"
        if category in ("cpu_op", "operator"):
            return "annotations" if _ANNOTATION.match(str(event.get("name"))) else "operators"
        return None

    def trace(self, path: Path, about: Mapping[str, Any]) -> Trace:
        """All of it, counted from the first event."""
        starts = [item[2] for item in self.work]
        starts += [item[1] for ranges in self.ranges.values() for item in ranges]
        if not starts:
            raise UnreadableTrace(
                f"{path} holds no event of torch.profiler: profile at least one step, "
                "with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]."
            )
        zero = min(starts)
        spread = about.get("distributedInfo")
        spread = spread if isinstance(spread, dict) else {}
        return Trace(
            path=str(path),
            work=tuple(sorted(self._all_work(zero), key=_start)),
            devices=tuple(_devices(about)),
            rank=_number(spread.get("rank")),
            world_size=_number(spread.get("world_size")),
            damaged=self.damaged,
            **{
                kind: tuple(
                    sorted(
                        (
                            HostRange(name, (start - zero) / 1000, (end - zero) / 1000, thread, correlation, stack)
                            for name, start, end, thread, correlation, stack in ranges
                        ),
                        key=_start,
                    )
                )
                for kind, ranges in self.ranges.items()
            },
        )

    def _all_work(self, zero: float) -> Iterator[DeviceWork]:
        for kind, name, start, end, device, stream, correlation, size in self.work:
            begun, ended = (start - zero) / 1000, (end - zero) / 1000
            yield DeviceWork(kind, name, begun, ended, device, stream, correlation, size)


def _start(item: DeviceWork | HostRange) -> float:
    return item.start


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return int(value)


def _devices(about: Mapping[str, Any]) -> Iterator[Device]:
    described = about.get("deviceProperties")
    for item in described if isinstance(described, list) else ():
        if isinstance(item, dict):
            major, minor = _number(item.get("computeMajor")), _number(item.get("computeMinor"))
            yield Device(
                number=_number(item.get("id")) or 0,
                name=str(item.get("name", "")),
                capability=None if major is None or minor is None else (major, minor),
            )
