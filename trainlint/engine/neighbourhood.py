"""Which of a project's files have a say about some of them, by imports alone: the nearest first, and not too many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainlint.records import dataclass

MOST_FILES = 150
"""So many neighbours are summarised at most."""
MOST_BYTES = 1_000_000
"""And no more of their source than this, or than that of the files in question. It takes most of a second."""


@dataclass(frozen=True, slots=True)
class Imports:
    """A project's files, by their numbers, as their imports link them."""

    of: Sequence[set[int]]
    """For each file, those that it imports."""
    idle: Sequence[bool]
    """Which are tests and benchmarks: they tell nothing of the code that they call."""

    def nearest(self, named: Sequence[int], others: Mapping[int, int], size: int) -> list[int]:
        """The neighbours of the named files, nearest first, as many as the bounds allow.

        `others` are those that may be neighbours, with their sizes; `size` is that of the named files together.
        """
        room = max(MOST_BYTES, size)
        kept: list[int] = []
        for number in self._by_distance(set(named)):
            if len(kept) == MOST_FILES:
                break
            if number in others and others[number] <= room:
                room -= others[number]
                kept.append(number)
        return kept

    def _by_distance(self, named: set[int]) -> Iterator[int]:
        """Importers up the chain, and what they and the named files import; of one distance, importers first."""
        importers = self._importers()
        above, below = named, set[int]()
        known_above, known = set(named), set(named)
        while above or below:
            imported = {target for number in above | below for target in self.of[number]}
            above = {importer for number in above for importer in importers[number]} - known_above
            known_above |= above
            yield from sorted(above - known)
            known |= above
            below = imported - known
            yield from sorted(below)
            known |= below

    def _importers(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.of]
        for number, targets in enumerate(self.of):
            for target in targets:
                if not self.idle[number] or self.idle[target]:
                    found[target].append(number)
        return found
