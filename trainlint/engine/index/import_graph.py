"""The files of a project as their imports link them: which count, which belong to one group, which are nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.project.glance import Glance
from trainlint.analysis.project.modules import Modules
from trainlint.analysis.project.neighbours import divided, groups, imports_among
from trainlint.analysis.types.imported_facts import FileStatus
from trainlint.engine.index.file_status import copied_libraries, run_by_nobody
from trainlint.project import module_lies_in

MOST_WHOLE = 8_000_000
"""The most bytes of context files with which all files of the named ones' groups are linked, unless the named files are
larger. To summarise these takes about twenty seconds of processor time, once: the cache keeps it."""
MOST_FILES = 150
"""The most context files that are summarised where the groups are larger than that."""
MOST_BYTES = 1_000_000
"""The same in bytes, unless the files of the run are larger. It takes most of a second."""
_PACKAGE, _SETUP = "__init__.py", "setup.py"


@dataclass(frozen=True, slots=True)
class GlancedFile:
    """A file, and what is known of it before it is parsed."""

    path: Path
    shown: str
    glance: Glance


@dataclass(eq=False)
class ImportGraph:
    """Files, numbered in their stable order, and their imports."""

    files: Sequence[GlancedFile]
    sought_modules: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Directory and module that was looked for in it, as no file in sight is that module → whether it may be there."""

    @cached_property
    def telling(self) -> list[bool]:
        """Which files take part: those with a word of training, those that import one, and their helpers.

        A helper is a file without such a word that one of the others imports: it may hold the test that decides when
        code runs, or the options of the program. What helpers import in turn is left out.
        """
        found = self._with_importers([file.glance.telling for file in self.files])
        helpers = {target for number, counts in enumerate(found) if counts for target in self._all_imports[number]}
        return [counts or number in helpers for number, counts in enumerate(found)]

    @cached_property
    def leads_to_torch(self) -> list[bool]:
        """Which files speak of PyTorch, or import one that does, at any distance."""
        return self._with_importers([file.glance.names_torch for file in self.files])

    @cached_property
    def serving_torch(self) -> set[int]:
        """The files that one of those imports, other than a test: what it hands them may be tensors."""
        leading = zip(self.files, self.imports, self.leads_to_torch, strict=True)
        return {
            target for file, targets, leads in leading if leads and not is_test_path(file.shown) for target in targets
        }

    @cached_property
    def never_updates(self) -> list[bool]:
        """Which files belong to programs, none of which updates parameters, as far as their files say.

        A file belongs to each program that imports it, at any distance.
        """
        run = self._with_imported([file.glance.program.runs for file in self.files])
        updating = self._with_imported(self._with_importers([file.glance.program.updates for file in self.files]))
        return [is_run and not updates for is_run, updates in zip(run, updating, strict=True)]

    @cached_property
    def file_statuses(self) -> list[FileStatus]:
        """What each of the files is to the project."""
        glances = [file.glance for file in self.files]
        of_all = (
            not any(glance.pins for glance in glances),
            any(glance.sets_autocast for glance in glances),
            any(glance.copies_without_waiting for glance in glances),
        )
        each = zip(self._one_process, self._run_by_nobody, self._copied, strict=True)
        return [FileStatus(*facts, *of_all) for facts in each]

    @cached_property
    def _run_by_nobody(self) -> list[bool]:
        """Which files nobody runs, as their paths and imports say."""
        return run_by_nobody(self._ordered, self._glances, self._all_imports, self._modules, self._lies_in)

    def _lies_in(self, folder: str, module: str) -> bool:
        sought = folder, module
        if sought not in self.sought_modules:
            self.sought_modules[sought] = module_lies_in(*sought)
        return self.sought_modules[sought]

    @cached_property
    def _copied(self) -> list[bool]:
        """Which files belong to a copy of a library of others."""
        return copied_libraries(self._ordered, self._glances, self._all_imports)

    @cached_property
    def _one_process(self) -> list[bool]:
        """Which files belong to programs that never start a process group, as far as the words of their files say.

        Those are the programs of all files that work together; of a script that nothing imports, the script alone.
        """
        files = list(zip(self.files, self.group_of, strict=True))
        run = {group for file, group in files if file.glance.program.runs and not is_test_path(file.shown)}
        several = {group for file, group in files if file.glance.starts_processes}
        starting = self._with_importers([file.glance.starts_processes for file in self.files])
        return [
            (group in run and group not in several) or (self._is_script(number) and not starting[number])
            for number, group in enumerate(self.group_of)
        ]

    def _is_script(self, number: int) -> bool:
        """Whether a file is started, and imported by none but tests."""
        file = self.files[number]
        return file.glance.program.runs and not is_test_path(file.shown) and number not in self._imported_by_code

    @cached_property
    def _imported_by_code(self) -> set[int]:
        """The files that other files than tests import."""
        pairs = zip(self.files, self._all_imports, strict=True)
        return {target for file, targets in pairs if not is_test_path(file.shown) for target in targets}

    def _with_imported(self, marked: list[bool]) -> list[bool]:
        """The same marks, and those of all that a marked file imports."""
        waiting = [number for number, is_marked in enumerate(marked) if is_marked]
        while waiting:
            for target in self._all_imports[waiting.pop()]:
                if not marked[target]:
                    marked[target] = True
                    waiting.append(target)
        return marked

    def _with_importers(self, marked: list[bool]) -> list[bool]:
        """The same marks, and those of all that import a marked file."""
        importers: dict[int, list[int]] = {}
        for number, targets in enumerate(self._all_imports):
            for target in targets:
                importers.setdefault(target, []).append(number)
        waiting = [number for number, is_marked in enumerate(marked) if is_marked]
        while waiting:
            for importer in importers.get(waiting.pop(), ()):
                if not marked[importer]:
                    marked[importer] = True
                    waiting.append(importer)
        return marked

    @cached_property
    def imports(self) -> list[set[int]]:
        """For each file, those that it imports, among the files that count."""
        return [
            {target for target in targets if self.telling[target]} if self.telling[number] else set()
            for number, targets in enumerate(self._all_imports)
        ]

    @cached_property
    def group_of(self) -> list[int]:
        """Files that import each other, at any distance, share a number, unless they are too many to be linked."""
        folders = [file.path.parent.parts for file in self.files]
        return divided(groups(self.imports), folders, [file.glance.size for file in self.files])

    @cached_property
    def groups_with_device(self) -> set[int]:
        """The groups in which a file names a device."""
        return {group for file, group in zip(self.files, self.group_of, strict=True) if file.glance.names_device}

    def context(self, named: Sequence[int], others: Mapping[int, int], size: int) -> tuple[set[int], bool]:
        """The files that are linked with the named ones, and whether these are all.

        Those are the files of their groups or, where that is too much, the nearest. `others` are the candidates with
        their sizes in bytes; `size` is that of the named files together.
        """
        met = {self.group_of[number] for number in named}
        of_groups = [number for number in others if self.group_of[number] in met and self.telling[number]]
        if sum(others[number] for number in of_groups) <= max(MOST_WHOLE, size):
            return set(of_groups), True
        return set(self._nearest(named, others, size)), False

    def _nearest(self, named: Sequence[int], others: Mapping[int, int], size: int) -> list[int]:
        """The files nearest to the named ones, nearest first, as many as the bounds allow."""
        room = max(MOST_BYTES, size)
        kept: list[int] = []
        for number in self._by_distance(set(named)):
            if len(kept) == MOST_FILES:
                break
            if number in others and others[number] <= room:
                room -= others[number]
                kept.append(number)
        return kept

    @cached_property
    def _all_imports(self) -> list[set[int]]:
        return imports_among([file.glance.imports for file in self.files], self._modules)

    @cached_property
    def _modules(self) -> Modules:
        return Modules(self._ordered)

    @cached_property
    def _ordered(self) -> list[Path]:
        return [file.path for file in self.files]

    @cached_property
    def _glances(self) -> list[Glance]:
        return [file.glance for file in self.files]

    def _by_distance(self, named: set[int]) -> Iterator[int]:
        """Importers up the chain, and what they and the named files import; of one distance, importers first."""
        importers = self._importers()
        above, below = named, set[int]()
        known_above, known = set(named), set(named)
        while above or below:
            imported = {target for number in above | below for target in self.imports[number]}
            above = {importer for number in above for importer in importers[number]} - known_above
            known_above |= above
            yield from sorted(above - known)
            known |= above
            below = imported - known
            yield from sorted(below)
            known |= below

    def _importers(self) -> list[list[int]]:
        """For each file, those that import it and may tell it something: tests tell nothing of what they call."""
        is_test = [is_test_path(file.shown) for file in self.files]
        found: list[list[int]] = [[] for _ in self.files]
        for number, targets in enumerate(self.imports):
            for target in targets:
                if not is_test[number] or is_test[target]:
                    found[target].append(number)
        return found
