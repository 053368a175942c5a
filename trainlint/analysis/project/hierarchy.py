"""The bases and methods of a project's classes, and the classes that derive from each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import MOST_FUNCTIONS, ClassThing, ObjectThing
from trainlint.analysis.types.access_paths import SOME, fits
from trainlint.analysis.types.values import Value

_MOST_DERIVED = 50
"""Of classes that derive from one, as many are looked at for a method that only some of them have."""
_MOST_ANCESTORS = 250
"""Of the bases of a class, at any distance, the nearest. In written code a class has no more than some ten, and a chain
of thousands of classes would take time and memory for the square of its length."""


@dataclass(slots=True)
class Hierarchy:
    """The classes of one project. Answers are kept: no argument of a call changes them."""

    summaries: Sequence[Summary]
    find_bases: Callable[[int, str], tuple[list[ClassThing], bool]]
    """File and name of a class → its direct bases in the project, and whether that answer may be kept."""
    _bases: dict[tuple[int, str], list[ClassThing]] = field(default_factory=dict)
    _ancestry: dict[tuple[int, str], list[ClassThing]] = field(default_factory=dict)
    _derived: dict[tuple[int, str], list[tuple[int, str]]] = field(default_factory=dict)
    _overrides: dict[tuple[int, str], dict[str, list[tuple[int, str]]]] = field(default_factory=dict)
    """Class → the methods of classes that derive from it, by their names; likewise below."""
    _in_derived_classes: dict[tuple[int, str], dict[str, list[tuple[int, Value]]]] = field(default_factory=dict)
    _base_names: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)

    def index(self) -> None:
        """Find the classes that derive from each class."""
        for file, summary in enumerate(self.summaries):
            for name in summary.classes:
                for base in self.ancestry(file, name)[1:]:
                    self._derived.setdefault((base.file, base.name), []).append((file, name))

    def bases(self, file: int, name: str) -> list[ClassThing]:
        """The direct bases of a class that stand in the project."""
        known = self._bases.get((file, name))
        if known is not None:
            return known
        if name not in self.summaries[file].classes:
            return []
        found, whole = self.find_bases(file, name)
        if whole:
            self._bases[file, name] = found
        return found

    def ancestry(self, file: int, name: str) -> list[ClassThing]:
        """A class and its bases in the project, nearest first, but for those of chains that nobody writes."""
        known = self._ancestry.get((file, name))
        if known is not None:
            return known
        found: dict[ClassThing, None] = {}
        waiting = [ClassThing(file, name)]
        for cls in waiting:
            if len(found) > _MOST_ANCESTORS:
                break
            if cls not in found and cls.name in self.summaries[cls.file].classes:
                found[cls] = None
                waiting += self.bases(cls.file, cls.name)
        ancestry = list(found)
        if all((cls.file, cls.name) in self._bases for cls in ancestry):
            self._ancestry[file, name] = ancestry
        return ancestry

    def method(self, file: int, cls: str, name: str) -> tuple[int, str] | None:
        """The file and key of a method of a class or of its bases."""
        for each in self.ancestry(file, cls):
            key = self.summaries[each.file].classes[each.name].methods.get(name)
            if key is not None:
                return each.file, key
        return None

    def names_like(self, owner: ClassThing | ObjectThing, pattern: str) -> list[str]:
        """The methods and attributes of a class or an object whose names fit a pattern."""
        found: dict[str, None] = {}
        for cls in self._possible(owner):
            shape = self.summaries[cls.file].classes[cls.name]
            found |= dict.fromkeys(name for name in (*shape.methods, *shape.attributes) if fits(name, pattern))
        return list(found)

    def put_by_name(self, owner: ClassThing | ObjectThing, name: str) -> list[tuple[int, Value]]:
        """What the nearest class puts under a name that the program puts together, each value with its file.

        `name` may be a pattern itself.
        """
        for cls in self._possible(owner):
            put = self.summaries[cls.file].classes[cls.name].put
            found = [(cls.file, value) for pattern, value in put.items() if fits(name, pattern) or name == SOME]
            if found:
                return found
        return []

    def _possible(self, owner: ClassThing | ObjectThing) -> list[ClassThing]:
        """The class of an object with its bases, and where it is `self` the classes that derive from it."""
        found = self.ancestry(owner.file, owner.name)
        if isinstance(owner, ObjectThing) and owner.own:
            return found + [ClassThing(*each) for each in self.derived(owner.file, owner.name)[:_MOST_DERIVED]]
        return found

    def derived(self, file: int, cls: str) -> Sequence[tuple[int, str]]:
        """The classes that derive from a class, by their files and names."""
        return self._derived.get((file, cls), ())

    def overrides(self, file: int, cls: str, name: str) -> Sequence[tuple[int, str]]:
        """Methods of this name in classes that derive from a class, but no more than it takes to be too many."""
        known = self._overrides.get((file, cls))
        if known is None:
            known = self._overrides[file, cls] = {}
            for number, each in self.derived(file, cls):
                for method, key in self.summaries[number].classes[each].methods.items():
                    known.setdefault(method, []).append((number, key))
        return known.get(name, ())[: MOST_FUNCTIONS + 1]

    def methods_of_derived(self, file: int, cls: str, name: str) -> list[tuple[int, str]]:
        """The methods that classes which derive from a class call by a name, also by their other bases (mixins)."""
        derived = self.derived(file, cls)[:_MOST_DERIVED]
        found = [self.method(number, each, name) for number, each in derived]
        return list(dict.fromkeys(each for each in found if each is not None))

    def values_in_derived(self, file: int, cls: str, name: str) -> Sequence[tuple[int, Value]]:
        """What classes that derive from a class assign to an attribute, each with its file."""
        known = self._in_derived_classes.get((file, cls))
        if known is None:
            known = self._in_derived_classes[file, cls] = {}
            for number, each in self.derived(file, cls):
                for attribute, value in self.summaries[number].classes[each].attributes.items():
                    known.setdefault(attribute, []).append((number, value))
        return known.get(name, ())

    def is_module(self, thing: ObjectThing) -> bool:
        """Whether an object's class is derived from nn.Module, as far as names tell."""
        return any(name.endswith(("Module", "Model", "Sequential")) for name in self.base_names(thing.file, thing.name))

    def base_names(self, file: int, name: str) -> tuple[str, ...]:
        """The dotted names of all bases of a class, nearest first, as the files that derive from them write them."""
        known = self._base_names.get((file, name))
        if known is None:
            found: dict[str, None] = {}
            for cls in self.ancestry(file, name):
                found |= dict.fromkeys(self.summaries[cls.file].skeleton.bases.get(cls.name, ()))
            known = tuple(found)
            if (file, name) in self._ancestry:
                self._base_names[file, name] = known
        return known
