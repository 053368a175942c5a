"""Which modules are trained whose builder is out of sight: a library, or what reads their names in a configuration?"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.frequency.code_units import class_key
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.project.following import Follower
from trainlint.analysis.project.settings.shipped_values import GIVEN
from trainlint.analysis.project.things import NO_FILE, ClassThing, ObjectThing
from trainlint.analysis.tables.frameworks.trainers import NAME_A_CLASS, trains_registered
from trainlint.finding import Heat

_TRAINED = 0.87
"""How sure it is that such a module is trained."""
_NEVER_CHOSEN = 0.6
"""The same where shipped configurations choose others from the same table, and never this one."""


@dataclass(eq=False)
class BuiltElsewhere:
    """Answers for the files of one project."""

    follower: Follower
    net: CallGraph
    numbers: Sequence[Mapping[str, int]]
    """For each file, the number of each function."""
    trains: Container[int]
    """The files of projects that train."""
    shipped: Mapping[str, frozenset[str]]
    """What shipped configurations set options to."""

    def heats(self) -> dict[int, HeatFact]:
        """The heat of `forward` of these modules, by its number."""
        found: dict[int, HeatFact] = {}
        for number, fact in (*self._registered(), *self._named()):
            if number not in found or fact.preference > found[number].preference:
                found[number] = fact
        return found

    def _registered(self) -> Iterator[tuple[int, HeatFact]]:
        """Classes in a table that a library trains, or in one that nothing in sight reads."""
        choices = self.follower.choices
        for table in choices.registered:
            library = table[1].partition(".")[0] if table[0] == NO_FILE else ""
            if table in choices.read and not library:  # what a library's own functions return is not in sight
                continue
            of_trainer = bool(library) and trains_registered(table[1])
            classes = [thing for thing in choices.registered[table] if isinstance(thing, ClassThing)]
            chosen = {thing for thing in classes if self._is_chosen(thing)}
            for thing in classes:
                words = f"{thing.name} is registered in `{table[1]}`, which builds models where it is not in sight"
                sure = _NEVER_CHOSEN if chosen and thing not in chosen else _TRAINED
                number = self._forward(thing) if of_trainer else self._forward_that_nothing_calls(thing, library)
                if number is not None:
                    yield number, HeatFact(Heat.STEP, sure, (words,))

    def _is_chosen(self, thing: ClassThing) -> bool:
        """Whether a shipped configuration has the name of a class, or one under which it is registered, as a value."""
        key = class_key(thing.name)
        units = (unit for unit in self.follower.summaries[thing.file].code.units if unit.key == key)
        names = {thing.name}.union(*(unit.registered_as for unit in units))
        return not self._values.isdisjoint(map(repr, names))

    @cached_property
    def _values(self) -> frozenset[str]:
        """All values that shipped configurations set."""
        return frozenset[str]().union(*self.shipped.values())

    def _named(self) -> Iterator[tuple[int, HeatFact]]:
        """Classes that a configuration names."""
        for key in sorted(NAME_A_CLASS):
            for value in sorted(self.shipped.get(key, frozenset()) | self.shipped.get(GIVEN + key, frozenset())):
                dotted = value.strip("'")
                for thing in self.follower.named(0, dotted) if "." in dotted else ():
                    if isinstance(thing, ClassThing):
                        words = f"{thing.name} is named in a configuration, by which a framework builds it"
                        number = self._forward_that_nothing_calls(thing)
                        if number is not None:
                            yield number, HeatFact(Heat.STEP, _TRAINED, (words,))

    def _forward(self, thing: ClassThing) -> int | None:
        """The number of a class's `forward`."""
        method = self.follower.classes.method(thing.file, thing.name, "forward")
        return self.numbers[method[0]][method[1]] if method is not None else None

    def _forward_that_nothing_calls(self, thing: ClassThing, library: str = "") -> int | None:
        """The same of a module in a project that trains, where nothing in sight calls it.

        A class that derives from one of the library in whose table it stands is taken for a module, as the library's
        losses and models are.
        """
        if thing.file not in self.trains:
            return None
        bases = self.follower.classes.base_names(thing.file, thing.name)
        is_module = self.follower.classes.is_module(ObjectThing(thing.file, thing.name))
        if not is_module and not (library and any(base.startswith(f"{library}.") for base in bases)):
            return None
        number = self._forward(thing)
        return number if number is not None and not self.net.callers.get(number) else None
