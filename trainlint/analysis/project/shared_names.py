"""Which imported names of a file others take from it, and which of them its own star imports may bind anew.

A fix that renames an import, or takes it away, breaks the former; the latter may mean something else than the import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from trainlint.analysis.project.modules import Modules
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.syntax.taken_names import ANY
from trainlint.analysis.tables.frameworks.packages import brings_torch

_DEEPEST = 6


class SharedNames:
    """Of each file, by what all files import."""

    def __init__(self, summaries: Sequence[Summary], modules: Modules) -> None:
        self._summaries = summaries
        self._modules = modules

    def taken(self, file: int) -> frozenset[str]:
        """The names at the top of a file that other files take, or may take, from it."""
        own, taken = self._summaries[file].bound, self._taken.get(file, set())
        return frozenset(own & taken if taken.isdisjoint((ANY, "__dict__")) else own)

    def starred_anew(self, file: int) -> frozenset[str]:
        """Of the same names, those that a star import of the file binds to something else; all where one is unknown."""
        summary = self._summaries[file]
        own = summary.from_torch if summary.stars else ()
        return frozenset(name for name in own if any(self._bound_anew(file, name, 0)))

    def _bound_anew(self, file: int, name: str, depth: int) -> Iterator[bool]:
        """For each module whose every name a file imports, whether that binds a name to something of its own."""
        for star in self._summaries[file].stars:
            source = self._modules.resolve(file, star)
            if source is None or source[1] or depth > _DEEPEST:
                yield not brings_torch(star.partition(".")[0])
                continue
            if name in self._summaries[source[0]].bound:
                yield name not in self._summaries[source[0]].from_torch
            else:
                yield from self._bound_anew(source[0], name, depth + 1)

    @cached_property
    def _taken(self) -> dict[int, set[str]]:
        """File → the names that others take from it."""
        found: dict[int, set[str]] = {}
        for file, summary in enumerate(self._summaries):
            for origin in summary.takes:
                source = self._modules.resolve(file, origin)
                if source is not None and source[0] != file:
                    found.setdefault(source[0], set()).update(source[1][:1])
            for star in summary.stars:
                source = self._modules.resolve(file, star)
                if source is not None and not source[1]:
                    found.setdefault(source[0], set()).update(self._summaries[source[0]].bound)
        return found
