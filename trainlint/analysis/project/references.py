"""Which functions of a project do other files refer to? The rest is dead code, if the project has programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from trainlint.analysis.callgraph.modules import Found, Modules
from trainlint.analysis.frequency.unreferenced import unmentioned
from trainlint.analysis.project.summary import Summary

_PACKAGE = "__init__.py"


class References:
    """Answers for the files of one or more groups of files that import each other."""

    def __init__(self, summaries: Sequence[Summary], groups: Sequence[int], modules: Modules) -> None:
        self.summaries = summaries
        self.groups = groups
        self.modules = modules

    def unreferenced(self, file: int) -> tuple[str, ...]:
        """The functions of a file that nothing in its group refers to; none where no program is in the group."""
        if self.groups[file] not in self.starting - self.reflecting or self.looked_up(file):
            return ()
        own = self.summaries[file]

        def elsewhere(key: str, name: str) -> bool:
            place = (self.groups[file], name)
            others = self._mentions.get(place, set()) - {file}
            if not others or "." in key:  # a method, or inside a function: its object says which one is meant
                return bool(others)
            if not self._quoted.get(place, set()) <= {file}:
                return True
            return self._may_import(file, name, others)

        return unmentioned(own.needed, own.users, elsewhere)

    def looked_up(self, file: int) -> bool:
        """Whether functions of a file may be called by names that stand in no code."""
        return file in self._looked_up

    def _may_import(self, file: int, name: str, others: set[int]) -> bool:
        """Whether one of the files that mention a name may mean that of a file: it imports that, or what hands it on.

        Packages and files that import every name hand on what they do not mention.
        """
        if not others.isdisjoint(self._unclear.get(self._module_name(file), ())):
            return True
        waiting, seen = [file], {file}
        while waiting:
            target = waiting.pop()
            for importer in self._importers.get((target, ""), set()) | self._importers.get((target, name), set()):
                if importer in others:
                    return True
                if importer not in seen and self._hands_on(importer):
                    seen.add(importer)
                    waiting.append(importer)
        return False

    def _hands_on(self, file: int) -> bool:
        summary = self.summaries[file]
        return bool(summary.stars) or summary.skeleton.path.endswith(_PACKAGE)

    def _module_name(self, file: int) -> str:
        parts = self.summaries[file].skeleton.path.replace("\\", "/").split("/")
        return parts[-2] if parts[-1] == _PACKAGE and len(parts) > 1 else parts[-1].removesuffix(".py")

    @cached_property
    def _edges(self) -> list[tuple[int, str, Found | None]]:
        """File, origin that it imports, and where this leads to; None where that is not clear."""
        return [
            (number, origin, self.modules.resolve(number, origin))
            for number, summary in enumerate(self.summaries)
            for origin in summary.mentions.imports
        ]

    @cached_property
    def _importers(self) -> dict[tuple[int, str], set[int]]:
        """File and the name that is imported from it, "" for the module as a whole → the files that import that."""
        found: dict[tuple[int, str], set[int]] = {}
        for importer, _, target in self._edges:
            if target is not None:
                found.setdefault((target[0], target[1][0] if target[1] else ""), set()).add(importer)
        return found

    @cached_property
    def _unclear(self) -> dict[str, set[int]]:
        """Word of an import whose file is not clear → the files that import it."""
        found: dict[str, set[int]] = {}
        for importer, origin, target in self._edges:
            if target is None:
                for word in origin.split("."):
                    found.setdefault(word, set()).add(importer)
        return found

    @cached_property
    def starting(self) -> set[int]:
        """Groups with a file that is run as a program and is no test."""
        return {
            group
            for summary, group in zip(self.summaries, self.groups, strict=True)
            if summary.mentions.starts and not summary.skeleton.is_test_file
        }

    @cached_property
    def reflecting(self) -> set[int]:
        """Groups with a file that calls functions of any file by names that stand in no code."""
        return {group for summary, group in zip(self.summaries, self.groups, strict=True) if summary.mentions.reflects}

    @cached_property
    def _looked_up(self) -> set[int]:
        """Files whose functions may be called by names that stand in no code.

        Those that look names up, the modules that these import as a whole, and what packages among them hand on.
        """
        waiting = [number for number, item in enumerate(self.summaries) if item.mentions.reflects_near]
        found = set(waiting)
        targets: dict[int, set[int]] = {}
        for importer, _, target in self._edges:
            if target is not None and (not target[1] or self._hands_on(importer)):
                targets.setdefault(importer, set()).add(target[0])
        starting = set(waiting)
        while waiting:
            file = waiting.pop()
            if file in starting or self._hands_on(file):
                new = targets.get(file, set()) - found
                found |= new
                waiting += new
        return found

    @cached_property
    def _mentions(self) -> dict[tuple[int, str], set[int]]:
        """Group and needed name → the files in which it stands."""
        return self._files_with([f"{item.mentions.once} {item.mentions.often}" for item in self.summaries])

    @cached_property
    def _quoted(self) -> dict[tuple[int, str], set[int]]:
        """Group and needed name → the files in which it is a whole string."""
        return self._files_with([item.mentions.quoted for item in self.summaries])

    def _files_with(self, words: Sequence[str]) -> dict[tuple[int, str], set[int]]:
        found: dict[tuple[int, str], set[int]] = {}
        for number, (text, group) in enumerate(zip(words, self.groups, strict=True)):
            for name in self._needed.intersection(text.split()):
                found.setdefault((group, name), set()).add(number)
        return found

    @cached_property
    def _needed(self) -> frozenset[str]:
        """All names that functions need."""
        return frozenset(name for item in self.summaries for several in item.needed.values() for name in several)
