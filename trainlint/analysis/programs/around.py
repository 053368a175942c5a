"""Which of a project's facts count for one training loop: those on the way into it and out of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
"""How a function is named: a number, or a file and a qualified name. A module's top level is named alike."""
F = TypeVar("F", bound=Hashable)
"""A fact, as it stands or with its file."""


class CallsBothWays(Generic[K, F]):
    """The calls of a project, both ways, with what stands where. Each question costs time linear in the calls."""

    def __init__(
        self,
        calls: Mapping[K, Sequence[K]],
        facts: Mapping[K, Sequence[F]],
        modules: Mapping[K, K] | None = None,
        entries: Mapping[K, F] | None = None,
    ) -> None:
        self.calls = calls
        """Function → the functions that it calls, hands over or defines; a module's top level → those it calls."""
        self.facts = facts
        """Function or module's top level → what is used there."""
        self.modules = modules or {}
        """Function → the top level of its module, which has run before the function does."""
        self.entries = entries or {}
        """A module's top level → what it says of a loop that a way from there leads into."""
        callers: dict[K, list[K]] = {}
        for caller, called in calls.items():
            for function in called:
                callers.setdefault(function, []).append(caller)
        self.callers: Mapping[K, Sequence[K]] = callers

    def entries_reaching(self, loop_function: K) -> tuple[F, ...]:
        """What the entries say of the ways into a loop's function."""
        inwards = _reachable((loop_function,), self.callers)
        return tuple(dict.fromkeys(self.entries[function] for function in inwards if function in self.entries))

    def around(self, loop_function: K, *, beside: bool = False) -> tuple[F, ...]:
        """The facts on the way into the loop's function (its callers, theirs, ...) and out of it (what it calls, ...).

        What stands at the top level of a module counts where the way passes through that module. `beside` adds
        what the callers call besides, as `main` calls a function that sets things up and then the one that trains:
        so are process groups, loaders and global switches made.
        """
        inwards = _reachable((loop_function,), self.callers)
        outwards = _reachable(inwards if beside else (loop_function,), self.calls)
        way = dict.fromkeys((*inwards, *outwards))
        tops = dict.fromkeys(self.modules[function] for function in way if function in self.modules)
        found = [fact for function in dict.fromkeys((*way, *tops)) for fact in self.facts.get(function, ())]
        found += [self.entries[function] for function in inwards if function in self.entries]
        return tuple(dict.fromkeys(found))


def _reachable(starts: Iterable[K], edges: Mapping[K, Sequence[K]]) -> dict[K, None]:
    """All that can be reached, nearest first, the starts included; each edge is looked at once."""
    seen = dict.fromkeys(starts)
    wave = list(seen)
    while wave:
        found = dict.fromkeys(other for function in wave for other in edges.get(function, ()) if other not in seen)
        seen |= found
        wave = list(found)
    return seen
