"""A snapshot of the allocator, as `torch.cuda.memory._dump_snapshot` writes it."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from trainlint_probe.traces.places import Source, of_a_library


class UnreadableSnapshot(Exception):
    """A file that holds no snapshot. Its text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Held:
    """What lines of source hold of the device's memory."""

    source: Source | None
    """The innermost line that is no library's; None where no frames were recorded."""
    bytes: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Churn:
    """Memory that was given back to the driver while it was needed again."""

    releases: int
    bytes: int
    source: Source | None
    """The line that gives it back most often."""
    empties_cache: bool
    """Whether `empty_cache` does it there. Else the allocator itself does, because memory is short."""
    requests_after: int
    """How often the driver was asked for memory after it had been given some back."""


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """The allocator's memory, in bytes, all devices together."""

    path: str
    reserved: int
    """What the driver has given."""
    allocated: int
    """What tensors hold."""
    pending: int
    """What tensors held and other streams still use."""
    unused: int
    """Segments without any tensor. Only these can `empty_cache` give back."""
    inactive_split: int
    """Holes in segments that tensors hold part of."""
    segments: int
    out_of_memory: int
    """How often the recorded history ran out of memory."""
    largest: tuple[Held, ...]
    churn: Churn | None
    """None where nothing was given back, or no history was recorded."""
    notes: tuple[str, ...]

    @property
    def fragmentation(self) -> float | None:
        """The share of the reserved memory that is holes, 0 to 1; None where nothing is reserved."""
        return self.inactive_split / self.reserved if self.reserved else None


LARGEST = 10
"""How many holders of memory are named."""


def parse_snapshot(path: Path | str) -> MemoryReading:
    """Read a snapshot. Nothing in it is run: it may hold lists, dicts, texts and numbers alone. But a hostile one may
    take all memory, or never end: `guarded_snapshot` reads what anybody may have written.

    Raises:
        UnreadableSnapshot: for what is no file, no pickle, or no snapshot.
    """
    path = Path(path)
    snapshot = _load(path)
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("segments"), list):
        raise UnreadableSnapshot(
            f"{path} holds no snapshot of the allocator: name a file that torch.cuda.memory._dump_snapshot wrote."
        )
    try:
        return _read(path, snapshot)
    except (AttributeError, TypeError, ValueError, OverflowError, RecursionError) as error:  # a list for a number ...
        raise UnreadableSnapshot(
            f"{path} holds a snapshot of another shape than PyTorch's ({error}): "
            "write it again by torch.cuda.memory._dump_snapshot."
        ) from error


def _read(path: Path, snapshot: Mapping[str, Any]) -> MemoryReading:
    segments = [segment for segment in snapshot["segments"] if isinstance(segment, dict)]
    traces = snapshot.get("device_traces") or ()
    history = [event for trace in traces for event in trace if isinstance(event, dict)]
    blocks = [block for segment in segments for block in _blocks(segment)]
    by_state: Counter[str] = Counter()
    for block in blocks:
        by_state[block.get("state", "")] += block.get("size", 0)
    unused = sum(segment.get("total_size", 0) for segment in segments if _is_unused(segment))
    return MemoryReading(
        path=str(path),
        reserved=sum(segment.get("total_size", 0) for segment in segments),
        allocated=by_state["active_allocated"],
        pending=by_state["active_awaiting_free"] + by_state["active_pending_free"],
        unused=unused,
        inactive_split=by_state["inactive"] - unused,
        segments=len(segments),
        out_of_memory=sum(event.get("action") == "oom" for event in history),
        largest=_largest(blocks),
        churn=_churn(traces),
        notes=tuple(_notes(blocks, history)),
    )


def _is_unused(segment: Mapping[str, Any]) -> bool:
    """Whether no tensor holds any part of a segment."""
    return not any(_is_allocated(block) for block in _blocks(segment))


class _Plain(pickle.Unpickler):
    """Makes lists, dicts, texts and numbers, and imports nothing."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it holds {module}.{name}, and a snapshot holds plain data alone")


def _load(path: Path) -> object:
    try:
        with path.open("rb") as file:
            return _Plain(file).load()
    except OSError as error:
        raise UnreadableSnapshot(
            f"{path} cannot be read ({error.strerror}): check its name and its permissions."
        ) from error
    # A damaged pickle may fail in any way, as the module's documentation says.
    except Exception as error:
        why = str(error) or ("it takes too much memory" if isinstance(error, MemoryError) else "it ends too soon")
        raise UnreadableSnapshot(
            f"{path} is no snapshot of the allocator ({why}): write it again by torch.cuda.memory._dump_snapshot."
        ) from error


def _blocks(segment: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [block for block in segment.get("blocks", ()) if isinstance(block, dict)]


def _is_allocated(block: Mapping[str, Any]) -> bool:
    return str(block.get("state", "")).startswith("active")


def _frames(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The innermost first. Before PyTorch 2.1 a block had a history of allocations instead."""
    history = item.get("history") or [{}]
    return [frame for frame in item.get("frames") or history[0].get("frames") or () if isinstance(frame, dict)]


def _source(item: Mapping[str, Any]) -> Source | None:
    for frame in _frames(item):
        path = str(frame.get("filename", "")).replace("\\", "/")
        if path.endswith(".py") and not of_a_library(path):
            return Source(path, int(frame.get("line", 0)), str(frame.get("name", "")))
    return None


def _largest(blocks: Iterable[Mapping[str, Any]]) -> tuple[Held, ...]:
    sizes: Counter[Source | None] = Counter()
    counts: Counter[Source | None] = Counter()
    for block in blocks:
        if block.get("state") == "active_allocated":
            source = _source(block)
            sizes[source] += block.get("requested_size") or block.get("size", 0)
            counts[source] += 1
    return tuple(Held(source, size, counts[source]) for source, size in sizes.most_common(LARGEST))


def _churn(traces: Iterable[Iterable[Mapping[str, Any]]]) -> Churn | None:
    """A training grows at first, so requests alone are no churn; those after memory was given back are."""
    releases: dict[Source | None, list[Mapping[str, Any]]] = defaultdict(list)
    requests = 0
    for trace in traces:
        given_back = False
        for event in trace:
            if event.get("action") == "segment_free":
                releases[_source(event)].append(event)
                given_back = True
            requests += given_back and event.get("action") == "segment_alloc"
    if not releases:
        return None
    source, most = max(releases.items(), key=lambda item: len(item[1]))
    return Churn(
        releases=sum(map(len, releases.values())),
        bytes=sum(event.get("size", 0) for events in releases.values() for event in events),
        source=source,
        empties_cache=any("empty_cache" in str(frame.get("name")).lower() for e in most for frame in _frames(e)),
        requests_after=requests,
    )


def _notes(blocks: Iterable[Mapping[str, Any]], history: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not any(_frames(block) for block in blocks):
        yield (
            "The snapshot names no lines: call torch.cuda.memory._record_memory_history(stacks='python') "
            "before the training starts."
        )
    if not history:
        yield "The snapshot has no history, so whether memory goes to the driver and back cannot be known."
