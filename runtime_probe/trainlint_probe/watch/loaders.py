"""DataLoaders: what they were asked for and where, and what the training waits for their batches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from time import perf_counter_ns
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from torch.utils.data import DataLoader, dataloader

from trainlint.evidence import Line, Phase, Symptom
from trainlint.evidence import Loader as SeenLoader
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at, shown
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

    def __init__(self, made_at: Line | None, settings: Mapping[str, str], number: int) -> None:
        self.made_at = made_at
        self.settings = settings
        self.number = number
        self.site: Site | None = None
        self.batches = 0
        self.nanoseconds = 0


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

    def install(self) -> None:
        """Begin to watch torch's own loader and all that inherit from it."""
        self.watch_loader(DataLoader)
        iterator = dataloader._BaseDataLoaderIter  # noqa: SLF001 - the one place that all batches come from
        iterator.__init__ = self._watch_owner(iterator.__init__)
        iterator.__next__ = self._watch_drawing(iterator.__next__)

    def watch_loader(self, loader: Any) -> None:
        """Watch a class of loaders being made and started."""
        loader.__init__ = self._watch_making(loader.__init__)
        loader.__iter__ = self._watch_starting(loader.__iter__)

    def _watch_making(self, function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def wrapper(loader: Any, *args: Any, **kwargs: Any) -> None:
            function(loader, *args, **kwargs)
            caller = self.watch.ledger.lines.caller(_maker(loader, frame_at(1)))
            if caller is None:
                return
            path, number, via = caller
            line = Line(shown(path, self.watch.directory), number)
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
                    return function(loader)
            finally:
                spent = perf_counter_ns() - start
                self.watch.phases.leave()
                site.nanoseconds += spent
                site.calls += 1
                self._drawn(loader).nanoseconds += spent

        return wrapper

    def _watch_owner(self, function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def wrapper(iterator: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
            self.drawing[iterator] = loader
            function(iterator, loader, *args, **kwargs)

        return wrapper

    def _watch_drawing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(iterator: Any) -> Any:
            loader = self.drawing.get(iterator)
            site = self.watch.ledger.site(_NEXT, "", frame_at(1))
            drawn = None if loader is None else self._drawn(loader)
            self.watch.phases.enter(_DATA_WAIT)
            start = perf_counter_ns()
            try:
                with self.watch.range(site):
                    batch = function(iterator)
            finally:
                spent = perf_counter_ns() - start
                self.watch.phases.leave()
                site.nanoseconds += spent
                site.calls += 1
                if drawn is not None:
                    drawn.nanoseconds += spent
            if drawn is not None:
                drawn.batches += 1
                drawn.site = site
                self.clock.mark(drawn, Source.LOADER, functools.partial(self._name, drawn))
            return batch

        return wrapper

    def _drawn(self, loader: Any) -> _Drawn:
        drawn = self.known.get(loader)
        if drawn is None:
            drawn = self.known[loader] = _Drawn(self.made.get(loader), settings_of(loader), len(self.all))
            self.all.append(drawn)
        return drawn

    def _name(self, drawn: _Drawn) -> str:
        at = _line(drawn, self.watch.directory)
        return _NEXT.name + (f" at {at.path}:{at.line}" if at else "")

    def read(self) -> dict[int, tuple[int, int]]:
        """The batches and nanoseconds of each loader until now."""
        return {drawn.number: (drawn.batches, drawn.nanoseconds) for drawn in self.all}

    def between(
        self, first: Mapping[int, tuple[int, int]], last: Mapping[int, tuple[int, int]]
    ) -> tuple[SeenLoader, ...]:
        """The loaders that gave batches between two readings."""
        seen = []
        for number, (batches, nanoseconds) in last.items():
            before, before_nanoseconds = first.get(number, (0, 0))
            if batches == before:
                continue
            drawn = self.all[number]
            seen.append(
                SeenLoader(
                    made_at=drawn.made_at,
                    drawn_at=_line(drawn, self.watch.directory),
                    settings=drawn.settings,
                    batches=batches - before,
                    wait_ms=(nanoseconds - before_nanoseconds) / 1e6,
                )
            )
        return tuple(seen)


def _line(drawn: _Drawn, directory: str) -> Line | None:
    site = drawn.site
    return Line(shown(site.path, directory), site.line) if site is not None and site.path else None


def _maker(loader: object, frame: FrameType) -> FrameType | None:
    """The frame that makes a loader, past the `__init__` methods of its subclasses."""
    outer: FrameType | None = frame
    while outer is not None and outer.f_code.co_name == "__init__":
        names = outer.f_code.co_varnames[:1]
        if not names or outer.f_locals.get(names[0]) is not loader:
            break
        outer = outer.f_back
    return outer


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
