"""The values that the options of a project have by default, and what sets attributes of objects of other files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from trainlint.analysis.callgraph.skeleton import options_asked_for
from trainlint.analysis.conditions.arguments import PASSED
from trainlint.analysis.conditions.settings.option_defaults import UNSET
from trainlint.analysis.project.settings.shipped_values import GIVEN
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.project.things import ClassThing

if TYPE_CHECKING:
    from trainlint.analysis.project.hierarchy import Hierarchy


class DeclaredOptions:
    """Answers for the files of one or more groups of files that import each other."""

    def __init__(
        self,
        summaries: Sequence[Summary],
        groups: Sequence[int],
        classes: Hierarchy,
        shipped: Mapping[str, frozenset[str]],
    ) -> None:
        """`shipped` is what configurations and launch scripts set options to."""
        self.summaries = summaries
        self.groups = groups
        self.classes = classes
        self.shipped = shipped

    def of(self, file: int) -> dict[str, tuple[str, ...]]:
        """The values that the options a file asks for have by default: `ImportedFacts.options`."""
        found = {}
        for name in sorted(options_asked_for(self.summaries[file].skeleton)):
            values = self._stored_elsewhere(file, name) if "." in name else self._declared(file, name)
            if values:
                found[name] = tuple(sorted(values))
        return found

    def _declared(self, file: int, name: str) -> Iterable[str]:
        """The values of an option that code declares, or else that configurations alone set."""
        of_group = self._files.get(self.groups[file], {})
        declared = of_group.get(name) or of_group.get(UNSET + name)
        set_to = self.shipped.get(name, frozenset())
        return set_to.union(declared, self.shipped.get(GIVEN + name, ())) if declared else set_to

    def _stored_elsewhere(self, file: int, name: str) -> set[str]:
        """What other files assign to an attribute, "Layer.fused", of objects that may be of a class of a file."""
        owner, _, attribute = name.rpartition(".")
        stored = self._files.get(self.groups[file], {}).get(f".{attribute}", {})
        found = {value for value, files in stored.items() if files - {file}}
        for other, cls in self._classes_with.get(attribute, ()):
            if (other, cls) != (file, owner) and ClassThing(file, owner) in self.classes.ancestry(other, cls):
                found.add(PASSED)
        return found

    @cached_property
    def _files(self) -> dict[int, dict[str, dict[str, set[int]]]]:
        """For each group of files, option → value that it has by default → the files that say so.

        Tests declare options of their own.
        """
        found: dict[int, dict[str, dict[str, set[int]]]] = {}
        for file, (summary, group) in enumerate(zip(self.summaries, self.groups, strict=True)):
            if not summary.skeleton.is_test_file:
                options = found.setdefault(group, {})
                for name, values in summary.options.items():
                    for value in values:
                        options.setdefault(name, {}).setdefault(value, set()).add(file)
        return found

    @cached_property
    def _classes_with(self) -> dict[str, list[tuple[int, str]]]:
        """Attribute → the classes with a base that assign it."""
        found: dict[str, list[tuple[int, str]]] = {}
        for file, summary in enumerate(self.summaries):
            for name, cls in summary.classes.items():
                for attribute in cls.attributes if cls.bases else ():
                    found.setdefault(attribute, []).append((file, name))
        return found
