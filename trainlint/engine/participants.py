"""Which files take part in linking: those of the run, and their neighbours in the project.

Decided by a glance at each file's bytes, before anything is parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.analysis.callgraph.modules import Modules
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.project.glance import Glance, glance
from trainlint.analysis.project.neighbours import divided, groups, imports_among
from trainlint.engine.members import Member
from trainlint.engine.neighbourhood import Imports
from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.records import dataclass, replace
from trainlint.source import UnreadableSource

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Participants:
    """The files that take part, and what must be known of those that do not."""

    members: list[Member]
    methods_elsewhere: frozenset[str] = frozenset()
    """Methods of files that belong to the same groups and were left out: such a name says nothing of its class."""


def taking_part(files: Sequence[Member], surroundings: Surroundings, cache: Cache | None = None) -> Participants:
    """The files that may tell each other something: those that train or import one that does, and are not alone.

    Of the neighbours, the nearest to files of the run that may hold a finding. Files that the cache knows are not read.
    """
    of_run = {member.path: member for member in files}
    others = [target for target in surroundings.around(list(of_run)) if target.path not in of_run]
    known: dict[Path, Glance] = {}
    keys: dict[Path, bytes | None] = {}
    if cache is not None:
        paths = [*(member.path for member in files if member.text is None), *(target.path for target in others)]
        cache.contents.look(map(str, paths))
        keys = {path: cache.key_of_file("glance", path) for path in paths}
        known = cache.get(keys)

    def seen(path: Path, shown: str, read: Callable[[], bytes]) -> _Seen | None:
        if path in known:
            return _Seen(path, shown, known[path])
        new = _seen(path, shown, read)
        if cache is not None and new is not None:
            cache.keep(keys.get(path), new.glance, path)
        return new

    found = [seen(member.path, member.shown, member.data) for member in files]
    found += [seen(target.path, target.shown, partial(read_bytes, target.path)) for target in others]
    party = _Party(sorted((file for file in found if file is not None), key=lambda file: file.shown), of_run)
    members = list(party.members(surroundings))
    return Participants(members, party.methods_beside(members))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file, and what is known of it before it is parsed."""

    path: Path
    shown: str
    glance: Glance


def _seen(path: Path, shown: str, read: Callable[[], bytes]) -> _Seen | None:
    """None for a file that cannot be read. Whether its bytes are what they say is seen when it is parsed."""
    try:
        data = read()
    except UnreadableSource:
        return None
    return _Seen(path, shown, glance(data, telling=may_hold_findings(data)))


@dataclass(eq=False)
class _Party:
    """The files of a run and those around them, numbered in their stable order."""

    files: Sequence[_Seen]
    of_run: dict[Path, Member]

    def members(self, surroundings: Surroundings) -> Iterator[Member]:
        """Those that take part, in the same order."""
        size = Counter(self.group_of)
        neighbours = set(self._neighbours())
        for number, file in enumerate(self.files):
            group = self.group_of[number]
            if not self.telling[number] or size[group] == 1:
                continue
            member = self.of_run.get(file.path)
            if member is None and number in neighbours:
                config = surroundings.config_of(file.path)
                if config is not None:
                    member = Member(file.path, file.shown, file.glance.size, config, judged=False)
            if member is not None:
                yield replace(member, group=group, names_device=group in self.with_device)

    def methods_beside(self, members: Sequence[Member]) -> frozenset[str]:
        """The names of methods in files of the members' groups that are not among them."""
        taken = {member.path for member in members}
        met = {member.group for member in members}
        left_out = (
            file.glance.methods
            for number, file in enumerate(self.files)
            if self.telling[number] and self.group_of[number] in met and file.path not in taken
        )
        return frozenset().union(*left_out)

    @cached_property
    def telling(self) -> list[bool]:
        """Which files have a word of training, or import one that counts: packages hand names on."""
        telling = [file.glance.telling for file in self.files]
        importers: dict[int, list[int]] = {}
        for number, targets in enumerate(self.all_imports):
            for target in targets:
                importers.setdefault(target, []).append(number)
        waiting = [number for number, tells in enumerate(telling) if tells]
        while waiting:
            for importer in importers.get(waiting.pop(), ()):
                if not telling[importer]:
                    telling[importer] = True
                    waiting.append(importer)
        return telling

    @cached_property
    def all_imports(self) -> list[set[int]]:
        """For each file, those that it imports."""
        modules = Modules([file.path for file in self.files])
        return imports_among([file.glance.imports for file in self.files], modules)

    @cached_property
    def imports(self) -> list[set[int]]:
        """The same among the files that count."""
        return [
            {target for target in targets if self.telling[target]} if self.telling[number] else set()
            for number, targets in enumerate(self.all_imports)
        ]

    @cached_property
    def group_of(self) -> list[int]:
        """Files that import each other, at any distance, share a number, unless they are too many to be linked."""
        folders = [file.path.parent.parts for file in self.files]
        return divided(groups(self.imports), folders, [file.glance.size for file in self.files])

    @cached_property
    def with_device(self) -> set[int]:
        """The groups in which a file names a device."""
        return {group for file, group in zip(self.files, self.group_of, strict=True) if file.glance.names_device}

    def _neighbours(self) -> Iterable[int]:
        named = [number for number, file in enumerate(self.files) if file.path in self.of_run and file.glance.telling]
        others = {number: file.glance.size for number, file in enumerate(self.files) if file.path not in self.of_run}
        if not others:
            return ()
        imports = Imports(self.imports, [is_test_path(file.shown) for file in self.files])
        return imports.nearest(named, others, size=sum(self.files[number].glance.size for number in named))
