"""Streams and events of a device that only keeps books: all work is done when it is queued."""

from __future__ import annotations

import time
from typing import Any

import torch

from trainlint_probe.simulated.events import Kind, Log, What

_LOG: list[Log] = []
"""The log of the simulation that is on."""


def is_capturing() -> bool:
    """As `torch.cuda.is_current_stream_capturing`."""
    return any(log.in_place is not None for log in _LOG)


def tell(log: Log | None) -> None:
    """Streams and events write to this log from now on."""
    _LOG[:] = [] if log is None else [log]


def _waited(name: str) -> None:
    for log in _LOG:
        log.note(What(Kind.WAIT, name))


class Stream:
    """As `torch.cuda.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        """The words of PyTorch's own stream."""
        self.device = torch.device("cuda", getattr(device, "index", device) or 0)
        self.device_index = self.device.index
        self.device_type = 1
        self.priority = priority
        self.cuda_stream = self.stream_id = 0
        self.before: Stream | None = None

    def wait_stream(self, stream: Any) -> None:
        """Work of this stream waits for that of another; the host does not."""

    def wait_event(self, event: Any) -> None:
        """Likewise for an event."""

    def record_event(self, event: Event | None = None) -> Event:
        """An event of this stream."""
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self) -> None:
        """The host waits."""
        _waited("Stream.synchronize")

    def query(self) -> bool:
        """Whether all is done."""
        return True

    def is_capturing(self) -> bool:
        """Whether a graph is being recorded."""
        return is_capturing()

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """As a GPU answers."""
        return 0, -5

    def __enter__(self) -> Stream:
        self.before = _CURRENT[-1]
        _CURRENT[-1] = self
        return self

    def __exit__(self, *_: object) -> None:
        assert self.before is not None
        _CURRENT[-1] = self.before


_CURRENT = [Stream()]
DEFAULT = _CURRENT[0]


def current_stream(device: Any = None) -> Stream:
    """As `torch.cuda.current_stream`."""
    return _CURRENT[-1]


def default_stream(device: Any = None) -> Stream:
    """As `torch.cuda.default_stream`."""
    return DEFAULT


def set_stream(stream: Stream | None) -> None:
    """As `torch.cuda.set_stream`."""
    if stream is not None:
        _CURRENT[-1] = stream


class StreamContext:
    """As `torch.cuda.stream(s)`."""

    def __init__(self, stream: Any) -> None:
        """A stream, or None for nothing."""
        self.stream = stream

    def __enter__(self) -> None:
        if isinstance(self.stream, Stream):
            self.stream.__enter__()

    def __exit__(self, *_: object) -> None:
        if isinstance(self.stream, Stream):
            self.stream.__exit__()


class Event:
    """As `torch.cuda.Event`."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """The words of PyTorch's own event."""
        self.at = 0.0

    def record(self, stream: Any = None) -> None:
        """Mark this moment."""
        self.at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """A stream waits for it; the host does not."""

    def query(self) -> bool:
        """Whether it has happened."""
        return True

    def synchronize(self) -> None:
        """The host waits."""
        _waited("Event.synchronize")

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds between two events, of this CPU's time."""
        return (other.at - self.at) * 1000
