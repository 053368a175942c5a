"""Which functions and classes may run, once the files around them are run: rapid type analysis by names.

The tops of files run. What runs names functions, which run, and classes, which are built; a class that is built builds
its bases. A method runs where its class is built and its name is used by code that runs, in whatever file: no object's
class need be known. So what is left is named by no code that runs, and never runs itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from trainlint.analysis.frequency.code_units import TOP, CodeUnits, Unit

UnitPlace = tuple[int, str]
"""A file, by its number, and the key of a unit."""


def running_units(
    files: Sequence[CodeUnits],
    *,
    whole: Sequence[bool],
    started: Sequence[bool],
    may_mean: Callable[[int, int, str], bool],
    called: Callable[[int, str], Iterable[UnitPlace]],
    offers: Sequence[bool],
) -> set[UnitPlace]:
    """The units that may run.

    Args:
        files: The units of each file.
        whole: For each file, whether all of it runs, since others look up its functions by names.
        started: For each file, whether its top runs.
        may_mean: Whether the first file may mean, by a name, what the second defines at its top.
        called: What a function calls as far as the call graph knows.
        offers: For each file, whether what it imports and lists in `__all__` may be used by code that is not in sight.
    """
    search = _Search(files, may_mean, called)
    for number, file in enumerate(files):
        search.look_up(file)
        for name in file.offered if offers[number] and started[number] else ():
            search.offer(number, name)
        search.begin(number, file, whole=whole[number], started=started[number])
    search.settle()
    return search.running


class _Search:
    """What runs so far, and what waits for its name or for what is around it."""

    def __init__(
        self,
        files: Sequence[CodeUnits],
        may_mean: Callable[[int, int, str], bool],
        called: Callable[[int, str], Iterable[UnitPlace]],
    ) -> None:
        self.running: set[UnitPlace] = set()
        self._may_mean = may_mean
        self._called = called
        self._units: dict[UnitPlace, Unit] = {}
        self._by_name: dict[str, list[UnitPlace]] = {}
        self._inside: dict[UnitPlace, list[UnitPlace]] = {}
        """Unit → those that wait for it."""
        for number, file in enumerate(files):
            for unit in file.units:
                place = (number, unit.key)
                self._units[place] = unit
                self._by_name.setdefault(unit.name, []).append(place)
                for key in unit.within:
                    self._inside.setdefault((number, key), []).append(place)
        self._reached = {place for place in self._by_name.get("", ()) if place[1] != TOP}
        """What is named or needs no name."""
        self._waiting: list[UnitPlace] = []
        self._used_names: set[tuple[int, str]] = set()

    def look_up(self, file: CodeUnits) -> None:
        """Reach what the strings of a file may name, and what it looks up by a part of the name."""
        for name in file.quoted:
            self.name_everywhere(name)
        for pattern in file.patterns:
            self.name_pattern(pattern)

    def begin(self, number: int, file: CodeUnits, *, whole: bool, started: bool) -> None:
        """Reach what of a file runs though nothing names it."""
        for unit in file.units:
            place = (number, unit.key)
            looked_up = whole or (file.looks_up_own and unit.is_attribute)
            if looked_up or (started and not unit.name and not unit.within):
                self.reach(place)
            for name in unit.registered_as[1:]:
                self.name_everywhere(name)

    def settle(self) -> None:
        """Follow what runs until nothing new does."""
        while self._waiting:
            place = self._waiting.pop()
            unit = self._units[place]
            if place in self.running or any((place[0], key) not in self.running for key in unit.within):
                continue
            self.running.add(place)
            for name in unit.uses:
                self.name(place[0], name)
            for other in self._called(*place):
                self.reach(other)
            self._waiting += [each for each in self._inside.get(place, ()) if each in self._reached]

    def reach(self, place: UnitPlace) -> None:
        """Something that runs names a unit, or calls it without."""
        if place in self._units and place not in self.running:
            self._reached.add(place)
            self._waiting.append(place)

    def name(self, file: int, name: str) -> None:
        """Code of a file that runs uses a name."""
        if name not in self._by_name or (file, name) in self._used_names:
            return
        self._used_names.add((file, name))
        for place in self._meant(file, name):
            self.reach(place)

    def offer(self, file: int, name: str) -> None:
        """A file hands a name on to code that is not in sight."""
        for place in self._meant(file, name):
            self.reach(place)

    def _meant(self, file: int, name: str) -> list[UnitPlace]:
        """What code of a file may mean by a name."""
        return [
            place
            for place in self._by_name.get(name, ())
            if place[0] == file or self._units[place].is_attribute or self._may_mean(file, place[0], name)
        ]

    def name_everywhere(self, name: str) -> None:
        """A string holds a name, by which anything may be looked up."""
        for place in self._by_name.get(name, ()) if name else ():
            self.reach(place)

    def name_pattern(self, pattern: str) -> None:
        """Attributes are looked up whose names fit a pattern."""
        for name in [each for each in self._by_name if each and re.fullmatch(pattern, each)]:
            for place in self._by_name[name]:
                if self._units[place].is_attribute:
                    self.reach(place)
