"""Which imported names of a file others take from it: a fix that renames or drops such an import breaks them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from trainlint.analysis.project.modules import Modules
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.syntax.taken_names import ANY


class SharedNames:
    """Of each file, by what all files import."""

    def __init__(self, summaries: Sequence[Summary], modules: Modules) -> None:
        self._summaries = summaries
        self._modules = modules

    def taken(self, file: int) -> frozenset[str]:
        """The names at the top of a file that other files take, or may take, from it."""
        own, taken = self._summaries[file].bound, self._taken.get(file, set())
        return frozenset(own & taken if taken.isdisjoint((ANY, "__dict__")) else own)

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
