"""Which line keeps what the steps of a training make: a list that it is appended to, or a sum that it is added to.

Whoever holds new tensors is found by asking Python's collector who refers to them. The line is then found in one more
step, in which Python tells of each line of the user's code before it runs: the line before the one where the list is
longer, or the name stands for another tensor.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any
from weakref import ref

import torch

from trainlint_probe.watch.afterwards.kept import graph_size
from trainlint_probe.watch.lines import Lines, frame_at

_SAMPLE = 50
"""New tensors that are asked for who holds them: each question looks at every object of Python's."""
_DEPTH = 3
"""Of containers in containers, as a list of dicts of tensors."""
_FEWEST = 2
"""New tensors that one container holds: a single one is the present step's."""
_CONTAINERS = (list, dict, set, deque)

Known = Mapping[int, ref[Any]]
"""Tensors by their identity."""
_Namespace = Callable[[], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Keeper:
    """What holds tensors of steps that are over."""

    name: str
    """As the user's code calls it: "losses", "self.history"; empty where no name was found."""
    state: Callable[[], object]
    """Changes where something more is kept: the length of a list, the identity of a sum."""


def new_tensors(known: Known) -> list[Any]:
    """The tensors with a graph that Python can reach, but for known ones."""
    return [item for item in _all() if item.grad_fn is not None and not _is_known(item, known)]


def known_tensors() -> Known:
    """All tensors that Python can reach now."""
    return {id(item): ref(item) for item in _all()}


def _all() -> list[Any]:
    return [item for item in gc.get_objects() if issubclass(type(item), torch.Tensor)]


def _is_known(item: Any, known: Known) -> bool:
    """A new tensor may lie where a known one lay that is gone: its identity alone tells nothing."""
    kept = known.get(id(item))
    return kept is not None and kept() is item


def keeper_of(tensors: Sequence[Any], lines: Lines) -> Keeper | None:
    """Who holds tensors that the last steps have made; None where nobody was found."""
    namespaces = list(_namespaces(lines))
    container = _container(tensors)
    if container is not None:
        return Keeper(_name_of(container, namespaces), lambda: len(container))
    return _sum(namespaces)


class LineOfChange:
    """The user's line at which the state of a keeper changes, found while it is entered."""

    def __init__(self, keeper: Keeper, lines: Lines) -> None:
        self.keeper = keeper
        self.lines = lines
        self.found: tuple[str, int] | None = None
        self._state = keeper.state()
        self._last: tuple[str, int] | None = None

    def start(self) -> None:
        """Python tells of lines from now on, of functions that run already as well."""
        if sys.gettrace() is not None:
            return  # a debugger's, or one that counts coverage
        frame: FrameType | None = frame_at(1)
        while frame is not None:
            if self.lines.is_users(frame.f_code.co_filename):
                frame.f_trace = self._trace
                self._last = self._last or (frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
        sys.settrace(self._trace)

    def stop(self) -> None:
        """Python tells no more."""
        if sys.gettrace() == self._trace:
            sys.settrace(None)
        frame: FrameType | None = frame_at(1)
        while frame is not None:
            if frame.f_trace == self._trace:
                frame.f_trace = None
            frame = frame.f_back

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if not self.lines.is_users(frame.f_code.co_filename):
            return None
        state = self.keeper.state()
        if state != self._state:
            self._state = state
            self.found = self.found or self._last
        self._last = frame.f_code.co_filename, frame.f_lineno
        return self._trace


def _container(tensors: Sequence[Any]) -> Any:
    """What holds several of some tensors: the nearest one that does."""
    level: list[Any] = list(tensors[:_SAMPLE])
    ours = {id(tensors), id(level)}  # they refer to the tensors as well
    for _ in range(_DEPTH):
        held: Counter[int] = Counter()
        holders: dict[int, Any] = {}
        for item in level:
            for holder in gc.get_referrers(item):
                if isinstance(holder, (*_CONTAINERS, tuple)) and id(holder) not in ours and not _is_namespace(holder):
                    held[id(holder)] += 1
                    holders[id(holder)] = holder
        ours.add(id(holders))
        best = [key for key, number in held.most_common() if number >= _FEWEST and not isinstance(holders[key], tuple)]
        if best:
            return holders[best[0]]
        level = list(holders.values())
        ours |= {id(level), id(holders)}
    return None


def _is_namespace(holder: Any) -> bool:
    return isinstance(holder, dict) and "__builtins__" in holder


def _sum(namespaces: Sequence[_Namespace]) -> Keeper | None:
    """The name of the tensor whose graph is the largest: a sum that each step adds to."""
    named = {
        (place, name): graph_size([value.grad_fn])
        for place, namespace in enumerate(namespaces)
        for name, value in namespace().items()
        if issubclass(type(value), torch.Tensor) and value.grad_fn is not None
    }
    if not named:
        return None
    place, name = max(named, key=lambda key: named[key])
    return Keeper(name, lambda: id(namespaces[place]().get(name)))


def _name_of(held: Any, namespaces: Sequence[_Namespace]) -> str:
    for namespace in namespaces:
        for name, value in list(namespace().items()):
            if value is held:
                return name
            if not isinstance(value, (ModuleType, type)):
                for attribute, inner in list(getattr(value, "__dict__", {}).items()):
                    if inner is held:
                        return f"{name}.{attribute}"
    return ""


def _namespaces(lines: Lines) -> Iterator[_Namespace]:
    """The names of the user's functions that run on this thread, the innermost first, and of their modules."""
    frame: FrameType | None = frame_at(2)
    while frame is not None:
        if lines.is_users(frame.f_code.co_filename):
            here, names = frame, frame.f_globals
            yield lambda here=here: here.f_locals  # type: ignore[misc]  # mypy takes the default for an argument
            yield lambda names=names: names  # type: ignore[misc]  # as above
        frame = frame.f_back
