"""Which functions of a project never run? Those that no code names that runs, if the project has programs.

What a library offers (`__all__`, what packages import to hand it on) may be used by code that is not in sight. Where
the project's programs train models and import a package that lies beside them, these show what is used. Programs that
train nothing, such as the demonstration of one module, show nothing of what trains.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property

from trainlint.analysis.callgraph.modules import Found, Modules
from trainlint.analysis.frequency.running_code import UnitPlace, running_units
from trainlint.analysis.project.summary import Summary

_PACKAGE = "__init__.py"


class References:
    """Answers for the files of one or more groups of files that import each other."""

    def __init__(
        self,
        summaries: Sequence[Summary],
        groups: Sequence[int],
        modules: Modules,
        training: Mapping[int, Collection[UnitPlace]],
        called: Callable[[int, str], Iterable[UnitPlace]],
        scripts: Container[int],
    ) -> None:
        """What the answers are made of.

        `training` are the functions and tops of each group that take training steps, `called` what a function
        calls, by the call graph, `scripts` the groups with a file whose top trains.
        """
        self.summaries = summaries
        self.groups = groups
        self.modules = modules
        self._training = training
        self._called = called
        self._scripts = scripts
        self._running: dict[tuple[int, bool], set[UnitPlace]] = {}
        """Group, whether all its programs are in sight → what runs."""
        self._users_of: dict[tuple[int, str], frozenset[int]] = {}

    def unreferenced(self, file: int) -> tuple[str, ...]:
        """The functions of a file that never run; none where no program is in its group, or one reflects."""
        return self._never_run(file) if self.groups[file] in self.starting else ()

    def unused_by_scripts(self, file: int) -> tuple[str, ...]:
        """The same where the group's only programs are scripts, which may be parts of files that people import."""
        group = self.groups[file]
        return self._never_run(file) if group in self._scripts and group not in self.starting else ()

    def _never_run(self, file: int) -> tuple[str, ...]:
        group = self.groups[file]
        is_test = self.summaries[file].skeleton.is_test_file  # test runners and benchmarks call what they like
        if is_test or group in self.reflecting or self.looked_up(file):
            return ()
        running = self._running_in(group, all_in_sight=self.is_trained(group))
        functions = self.summaries[file].skeleton.functions
        return tuple([item.key for item in functions if (file, item.key) not in running])

    def is_trained(self, group: int) -> bool:
        """Whether programs of a group train: what runs in them takes training steps."""
        steps = self._training.get(group, ())
        return bool(steps) and not self._running_in(group, all_in_sight=True).isdisjoint(steps)

    def _running_in(self, group: int, *, all_in_sight: bool) -> set[UnitPlace]:
        """What of a group may run, by file and key, where all programs that use it are in sight, or not."""
        key = (group, all_in_sight)
        if key not in self._running:
            self._running[key] = self._find_running(group, all_in_sight=all_in_sight)
        return self._running[key]

    def _find_running(self, group: int, *, all_in_sight: bool) -> set[UnitPlace]:
        files = [file for file, number in enumerate(self.groups) if number == group]
        place = {file: number for number, file in enumerate(files)}
        running = running_units(
            [self.summaries[file].code for file in files],
            whole=[self.looked_up(file) for file in files],
            started=[not self.summaries[file].skeleton.is_test_file for file in files],
            may_mean=lambda user, owner, name: files[user] in self._users(files[owner], name),
            called=lambda file, key: (
                (place[to], other) for to, other in self._called(files[file], key) if to in place
            ),
            offers=[not all_in_sight or self._top_package(file) in self._libraries for file in files],
        )
        return {(files[number], key) for number, key in running}

    @cached_property
    def _libraries(self) -> set[str]:
        """The directories of packages that programs import from elsewhere than beside themselves: installed ones."""
        found: set[str] = set()
        for importer, _, target in self._edges:
            package = self._top_package(target[0]) if target is not None else ""
            summary = self.summaries[importer]
            if package and not summary.skeleton.is_test_file and self._top_package(importer) != package:
                if _folder(package) != _folder(summary.skeleton.path):
                    found.add(package)
        return found

    def _top_package(self, file: int) -> str:
        """The directory of the outermost package around a file; "" for a file that belongs to none."""
        folder, found = _folder(self.summaries[file].skeleton.path), ""
        while folder in self._packages:
            folder, found = _folder(folder), folder
        return found

    @cached_property
    def _packages(self) -> set[str]:
        """The directories with an `__init__.py`."""
        paths = [summary.skeleton.path for summary in self.summaries]
        return {_folder(path) for path in paths if path.endswith(_PACKAGE)} - {""}

    def looked_up(self, file: int) -> bool:
        """Whether functions of a file may be called by names that stand in no code.

        Programs look up names in modules that only the run names, such as those of a configuration. Such a module is
        none that other code imports already.
        """
        return file in self._looked_up or (self.groups[file] in self.taking_from_modules and not self._is_used(file))

    def _is_used(self, file: int) -> bool:
        """Whether other files than tests and packages import a file, or use a name that a package hands on from it."""
        return file in self._used or file in self._handed_on or self.summaries[file].lookups.starts

    @cached_property
    def _handed_on(self) -> set[int]:
        """The files of which packages import a name that code other than theirs uses."""
        used = {
            name
            for summary, _ in self._no_tests
            if not summary.skeleton.path.endswith(_PACKAGE)
            for unit in summary.code.units
            for name in unit.uses
        }
        return {
            target[0]
            for importer, _, target in self._edges
            if target is not None
            and target[1]
            and target[1][0] in used
            and self.summaries[importer].skeleton.path.endswith(_PACKAGE)
            and target[0] != importer
        }

    @cached_property
    def _used(self) -> set[int]:
        return {
            target[0]
            for importer, _, target in self._edges
            if target is not None
            and not self.summaries[importer].skeleton.is_test_file
            and not self.summaries[importer].skeleton.path.endswith(_PACKAGE)
        }

    def _users(self, file: int, name: str) -> frozenset[int]:
        """The files that may mean a name of a file: they import it, or what hands it on.

        Packages and files that import every name hand on what they do not mention.
        """
        key = (file, name)
        if key not in self._users_of:
            found = set(self._unclear.get(self._module_name(file), ()))
            waiting, seen = [file], {file}
            while waiting:
                target = waiting.pop()
                for importer in self._importers.get((target, ""), set()) | self._importers.get((target, name), set()):
                    found.add(importer)
                    if importer not in seen and self._hands_on(importer):
                        seen.add(importer)
                        waiting.append(importer)
            self._users_of[key] = frozenset(found)
        return self._users_of[key]

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
            for origin in summary.lookups.imports
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
        return {group for summary, group in self._no_tests if summary.lookups.starts}

    @cached_property
    def reflecting(self) -> set[int]:
        """Groups with a file that calls functions of any file by names that stand in no code."""
        return {group for summary, group in self._no_tests if summary.lookups.reflects}

    @cached_property
    def taking_from_modules(self) -> set[int]:
        """Groups with a file that does so with functions of modules that only the run names."""
        return {group for summary, group in self._no_tests if summary.lookups.takes_from_modules}

    @cached_property
    def _no_tests(self) -> list[tuple[Summary, int]]:
        pairs = zip(self.summaries, self.groups, strict=True)
        return [(summary, group) for summary, group in pairs if not summary.skeleton.is_test_file]

    @cached_property
    def _looked_up(self) -> set[int]:
        """Files whose functions may be called by names that stand in no code.

        Those that look names up, the modules that these import as a whole, and what packages among them hand on.
        """
        waiting = [number for number, item in enumerate(self.summaries) if item.lookups.reflects_near]
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


def _folder(path: str) -> str:
    """The directory of a file or directory; "" for the topmost."""
    return path.replace("\\", "/").rpartition("/")[0]
