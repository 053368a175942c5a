"""DataLoaders: what they were asked for and where, and what the training waits for their batches."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns, thread_time_ns
from typing import Any
from weakref import WeakKeyDictionary

from torch.utils.data import DataLoader, dataloader

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Loader as SeenLoader
from trainlint.evidence.run import Phase, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.afterwards.handover import Handover, handover
from trainlint_probe.watch.core_usage import available
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at, maker_of
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.steps import Clock, Source
from trainlint_probe.watch.watching import Watch

_SETTINGS = (
    "batch_size num_workers pin_memory prefetch_factor persistent_workers drop_last timeout multiprocessing_context"
).split()
_NEXT = Kind("DataLoader.__next__", Symptom.DATA_WAIT)
_ITER = Kind("DataLoader.__iter__", Symptom.DATA_WAIT)
_ITERABLE = dataloader._DatasetKind.Iterable  # noqa: SLF001 - the loader keeps its kind under no other name
_DATA_WAIT = NUMBER[Phase.DATA_WAIT]


class _Drawn:
    """What is known of one loader."""

    def __init__(self, made_at: Line | None, loader: Any, number: int) -> None:
        self.made_at = made_at
        self.settings = settings_of(loader)
        self.epoch = _batches_of_an_epoch(loader)
        self.number = number
        self.site: Site | None = None
        self.batch: Any = None
        """The last one, where batches are kept."""
        self.handed: Handover | None = None
        """What such a batch costs to receive from a worker process."""
        self.batches = 0
        self.nanoseconds = 0
        self.cpu_ns = 0
        """Of these, those for which this thread computed."""
        self.start_ns = 0
        """Of its last `__iter__`."""
        self.first_ns: int | None = None
        """What was waited for the first batch after it."""


class Loaders:
    """The loaders of a process."""

    def __init__(self, watch: Watch, clock: Clock) -> None:
        self.watch = watch
        self.clock = clock
        self.made: WeakKeyDictionary[Any, Line] = WeakKeyDictionary()
        """Where each loader was made."""
        self.made_for: dict[int, Line] = {}
        """By the identity of the dataset: frameworks make a loader anew out of the one that the user made."""
        self.known: WeakKeyDictionary[Any, _Drawn] = WeakKeyDictionary()
        self.drawing: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
        """Iterator → its loader."""
        self.all: list[_Drawn] = []
        self.keeps_batches = False
        """Whether the last batch of each loader is kept, so that it can be handed over between processes."""

    def install(self) -> None:
        """Begin to watch torch's own loader and all that inherit from it."""
        self.watch_loader(DataLoader)
        iterator = dataloader._BaseDataLoaderIter  # noqa: SLF001 - the one place that all batches come from
        self.watch.patches.put(iterator, "__next__", self._watch_drawing(iterator.__next__))

    def watch_loader(self, loader: Any) -> None:
        """Watch a class of loaders being made and started."""
        loader.__init__ = self._watch_making(loader.__init__)
        loader.__iter__ = self._watch_starting(loader.__iter__)

    def _watch_making(self, function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def wrapper(loader: Any, *args: Any, **kwargs: Any) -> None:
            function(loader, *args, **kwargs)
            caller = self.watch.ledger.lines.caller(maker_of(loader, frame_at(1)))
            if caller is None:
                return
            path, number, via = caller
            line = self.watch.line(path, number)
            dataset = id(getattr(loader, "dataset", None))
            if via:
                line = self.made_for.get(dataset, line)
            else:
                self.made_for[dataset] = line
            self.made[loader] = line

        return wrapper

    def _watch_starting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Making an iterator starts the worker processes: the training waits for that too."""

        @functools.wraps(function)
        def wrapper(loader: Any) -> Any:
            site = self.watch.ledger.site(_ITER, "", frame_at(1))
            self.watch.phases.enter(_DATA_WAIT)
            start = perf_counter_ns()
            try:
                with self.watch.range(site):
                    iterator = function(loader)
                # The iterator's own `__init__` is left alone: it warns, and names the line that called it.
                self.drawing[iterator] = loader
                return iterator
            finally:
                spent = perf_counter_ns() - start
                self.watch.phases.leave()
                site.nanoseconds += spent
                site.calls += 1
                drawn = self._drawn(loader)
                drawn.nanoseconds += spent
                drawn.start_ns, drawn.first_ns = spent, None

        return wrapper

    def _watch_drawing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(iterator: Any) -> Any:
            loader = self.drawing.get(iterator)
            site = self.watch.ledger.site(_NEXT, "", frame_at(1))
            drawn = None if loader is None else self._drawn(loader)
            self.watch.phases.enter(_DATA_WAIT)
            start, computed = perf_counter_ns(), thread_time_ns()
            try:
                with self.watch.range(site):
                    batch = function(iterator)
            finally:
                computed = thread_time_ns() - computed
                spent = perf_counter_ns() - start
                self.watch.phases.leave()
                site.nanoseconds += spent
                site.calls += 1
                if drawn is not None:
                    drawn.nanoseconds += spent
                    drawn.cpu_ns += computed
                    drawn.first_ns = spent if drawn.first_ns is None else drawn.first_ns
            if drawn is not None:
                drawn.batches += 1
                drawn.site = site
                if self.keeps_batches:
                    drawn.batch = batch
                self.clock.mark(drawn, Source.LOADER, functools.partial(self._name, drawn))
            return batch

        return wrapper

    def _drawn(self, loader: Any) -> _Drawn:
        drawn = self.known.get(loader)
        if drawn is None:
            drawn = self.known[loader] = _Drawn(self.made.get(loader), loader, len(self.all))
            self.all.append(drawn)
        return drawn

    def _name(self, drawn: _Drawn) -> str:
        at = self.watch.line_of(drawn.site)
        return _NEXT.name + (f" at {at.path}:{at.line}" if at else "")

    def read(self) -> dict[int, tuple[int, int, int]]:
        """The batches of each loader until now, the nanoseconds that were waited for them, and those computed."""
        return {drawn.number: (drawn.batches, drawn.nanoseconds, drawn.cpu_ns) for drawn in self.all}

    def between(
        self, first: Mapping[int, tuple[int, int, int]], last: Mapping[int, tuple[int, int, int]]
    ) -> tuple[SeenLoader, ...]:
        """The loaders that gave batches between two readings."""
        seen = []
        for number, (batches, nanoseconds, cpu_ns) in last.items():
            before, before_nanoseconds, before_cpu_ns = first.get(number, (0, 0, 0))
            if batches == before:
                continue
            drawn = self.all[number]
            seen.append(
                SeenLoader(
                    made_at=drawn.made_at,
                    drawn_at=self.watch.line_of(drawn.site),
                    settings=drawn.settings,
                    batches=batches - before,
                    wait_ms=(nanoseconds - before_nanoseconds) / 1e6,
                    cpu_ms=(cpu_ns - before_cpu_ns) / 1e6,
                )
            )
        return tuple(seen)

    def hand_over(self) -> None:
        """Try what it costs to receive the last batch of each loader without workers from a worker process."""
        for drawn in self.all:
            if drawn.batch is not None and drawn.settings.get("num_workers") == "0":
                drawn.handed = handover(drawn.batch)
            drawn.batch = None

    def handed_over(self, of: Sequence[SeenLoader]) -> tuple[SeenLoader, ...]:
        """The same loaders, and what worker processes would cost those without: tried with their last batches."""
        known = {
            (drawn.made_at, self.watch.line_of(drawn.site)): drawn.handed
            for drawn in self.all
            if drawn.handed is not None
        }
        return tuple(_with_handover(item, known.get((item.made_at, item.drawn_at))) for item in of)

    def seen(self) -> tuple[Seen, ...]:
        """Whether the workers of all processes on this machine are more than its cores, at the lines of the loaders."""
        processes, cores = int(os.environ.get("LOCAL_WORLD_SIZE") or "1"), available()
        return tuple(
            Seen(
                at=drawn.made_at,
                symptom=Symptom.TOO_MANY_WORKERS if processes * workers > cores else Symptom.RAN,
                what=f"DataLoader with {workers} workers",
                calls=1,
                details={"reason": f"{processes} training processes start {processes * workers} on {cores} cores"},
            )
            for drawn in self.all
            for workers in [int(drawn.settings.get("num_workers", "0"))]
            if drawn.made_at is not None and workers
        )

    def starts(
        self, first: Mapping[int, tuple[int, int, int]], last: Mapping[int, tuple[int, int, int]], steps: int
    ) -> Iterator[Seen]:
        """What it costs a step, at the lines of the loaders, that worker processes are started in each epoch.

        An epoch is longer than most windows: the last start that was seen is spread over the loader's batches. With
        workers that are kept, at least `__iter__` is saved, and of the wait for the first batch a part at most.
        """
        for drawn in self.all:
            workers, at = int(drawn.settings.get("num_workers", "0")), drawn.made_at
            if at is None:
                continue
            if not workers or drawn.settings.get("persistent_workers") == "True":
                what = "DataLoader that keeps its workers" if workers else "DataLoader without workers"
                yield Seen(at, Symptom.WORKERS_NOT_STARTED, what, calls=1)
                continue
            batches = last.get(drawn.number, (0, 0, 0))[0] - first.get(drawn.number, (0, 0, 0))[0]
            if batches and steps and drawn.epoch:
                often = batches / steps / drawn.epoch
                low, high = drawn.start_ns / 1e6, (drawn.start_ns + (drawn.first_ns or 0)) / 1e6
                yield Seen(
                    at,
                    Symptom.WORKERS_STARTED,
                    f"DataLoader.__iter__ with {workers} worker{'s' * (workers > 1)}",
                    calls=1,
                    recoverable=Interval(low * often, high * often),
                    steps=max(1, round(1 / often)),
                )


def _with_handover(loader: SeenLoader, handed: Handover | None) -> SeenLoader:
    return loader if handed is None else replace(loader, handover_ms=handed.ms, batch_bytes=handed.bytes)


def _batches_of_an_epoch(loader: Any) -> int | None:
    """None where the loader, or a sampler of the user's, cannot say."""
    try:
        return len(loader)
    except Exception:  # noqa: BLE001 - it is the user's code, and not asked for by the user
        return None


def settings_of(loader: Any) -> dict[str, str]:
    """A loader's settings, in Python's writing, and of what class its parts are. No data of the user is shown."""
    settings = {name: _written(getattr(loader, name)) for name in _SETTINGS if hasattr(loader, name)}
    for name in ("dataset", "sampler", "collate_fn"):
        part = getattr(loader, name, None)
        if part is not None:
            settings[name] = getattr(part, "__qualname__", type(part).__qualname__)
    settings["iterable"] = str(getattr(loader, "_dataset_kind", None) == _ITERABLE)
    return settings


def _written(value: object) -> str:
    simple = value is None or isinstance(value, (bool, int, float, str))
    return repr(value) if simple else type(value).__name__
