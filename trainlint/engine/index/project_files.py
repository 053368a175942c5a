"""The files of a run, and the context files: the other files of their projects, which may tell them something.

What is found in a file must not depend on which other files were named beside it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from trainlint.bounded import leads_out
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import SKIPPED_DIRECTORIES, Target, discover, is_code
from trainlint.engine.index.project_roots import ProjectRoots
from trainlint.engine.index.shipped_files import ShippedFiles
from trainlint.engine.read import code_of, may_hold_findings, read_bytes, read_code
from trainlint.notebooks import is_notebook
from trainlint.paths import shown_path
from trainlint.source import UnreadableSource, decode_source
from trainlint.training_settings.files import is_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.analysis.types.imported_facts import FileStatus, ImportedFacts
    from trainlint.config import Config
    from trainlint.source import SourceFile

MOST_FILES = 4_000
"""The most files of one project that are read for their imports: those nearest in the tree of directories."""
MOST_BYTES = 40_000_000
"""The same in bytes of source. Reading these takes half a second."""
_MOST_DIRECTORIES = 100
"""The most directories that are searched where nothing marks a project."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that may take part in linking."""

    path: Path
    shown: str
    size: int
    config: Config
    text: SourceFile | None = None
    """What counts in place of the file on disk, as an editor sends it."""
    judged: bool = True
    """False for a context file, which only tells the files of the run something."""
    group: int = 0
    """Files with the same number import each other, at any distance."""
    names_device: bool = False
    """Whether a file of its group names a device."""
    never_updates: bool = False
    """Whether it belongs to programs, none of which updates parameters."""
    reaches_torch: bool = False
    """Whether a file that it imports, at any distance, speaks of PyTorch."""
    serves_torch: bool = False
    """Whether a file that imports it speaks of PyTorch, or imports one that does. Tests do not count."""
    standing: FileStatus | None = None
    """What it is to its project, where that has been looked at."""

    @property
    def known_early(self) -> ImportedFacts:
        """What is known of it before its group is linked."""
        from trainlint.analysis.types.imported_facts import FileStatus, ImportedFacts

        return ImportedFacts(
            names_device=self.names_device,
            reaches_torch=self.reaches_torch,
            serves_torch=self.serves_torch,
            never_updates=self.never_updates,
            standing=self.standing or FileStatus(),
        )

    def data(self) -> bytes:
        """The bytes of its code. Raises UnreadableSource."""
        return code_of(self.text) if self.text is not None else read_code(self.path)

    def source(self) -> SourceFile:
        """Its text. Raises UnreadableSource."""
        return self.text or decode_source(self.shown, read_bytes(self.path))

    def may_hold_findings(self) -> bool:
        """Whether it can hold findings at all, so that other files may have something to tell it."""
        try:
            return may_hold_findings(self.data(), with_torch=True)
        except UnreadableSource:
            return False


def largest_judged(members: Sequence[Member]) -> str:
    """The file that stands for all of these in a report."""
    judged = [member for member in members if member.judged]
    return max(judged, key=lambda member: member.size).shown if judged else members[0].path.name


@dataclass(frozen=True, slots=True)
class Listing:
    """What a directory holds that was listed."""

    targets: tuple[Target, ...]
    """Files with code."""
    shipped: tuple[str, ...] = ()
    """Files that may say how the code is run, absolute."""
    is_whole: bool = True
    """Whether all directories below were listed."""


class ProjectFiles:
    """The files of a run with their context files. Nothing is listed or read before it is asked for."""

    def __init__(
        self,
        members: Sequence[Member],
        configurations: Configurations,
        searched: tuple[Path, ...] = (),
        shipped: tuple[str, ...] = (),
        listings: dict[Path, Listing] | None = None,
    ) -> None:
        self.members = members
        """The files of the run that hold code."""
        self.configurations = configurations
        """Those of the run. Looking up the configuration of a context file leaves no trace in them."""
        self.searched = searched
        """Directories whose files all take part in the run."""
        self._shipped = set(shipped)
        self.listings = {} if listings is None else listings
        """The files of each project that was listed, by its directory. What stands here is not listed again."""
        self._roots = ProjectRoots()
        self._cut: set[Path] = set()

    @cached_property
    def may_hold_findings(self) -> bool:
        """Whether any file of the run can hold a finding."""
        return any(member.may_hold_findings() for member in self.members)

    @cached_property
    def context(self) -> tuple[Target, ...]:
        """The other files with code of the projects that the files and searched directories belong to.

        Files in searched directories belong to the run. What ignore files and the configuration exclude takes no
        part. Of too large a project, the files nearest in the tree of directories.
        """
        of_run = {member.path for member in self.members}
        return tuple(target for target in self._around() if target.path not in of_run)

    def root_of(self, path: Path) -> Path:
        """The directory of the project of a file. Files of one project are linked with each other, and no others."""
        return Path(self._roots.of(str(path.parent)))

    def is_cut(self, root: Path) -> bool:
        """Whether a project is so large that not all of its files were looked at."""
        assert self.context is not None  # looking for it finds out
        return root in self._cut

    @cached_property
    def shipped(self) -> ShippedFiles:
        """What says how the code of the projects is run, in searched directories and around them."""
        assert self.context is not None  # looking for it finds what is shipped around
        return ShippedFiles(self._shipped)

    def with_texts(self, texts: Mapping[Path, SourceFile]) -> ProjectFiles:
        """The same files, where texts count in place of what some hold. Nothing is listed again."""
        members = [replace(member, text=texts.get(member.path, member.text)) for member in self.members]
        files = ProjectFiles(members, self.configurations, self.searched, listings=self.listings)
        files.context, files.shipped = self.context, self.shipped
        files._roots, files._cut = self._roots, self._cut
        return files

    def config_of(self, path: Path) -> Config | None:
        """The configuration of a context file; None where it is wrong, which is no failure of this run."""
        try:
            return self._untracked_configurations.of(path.parent).config
        except Misconfigured:
            return None

    @cached_property
    def _untracked_configurations(self) -> Configurations:
        return self.configurations.untracked_copy()

    def _around(self) -> list[Target]:
        outside = {member.path.parent for member in self.members if not self._is_searched(member.path)}
        starts = sorted({*outside, *self.searched})
        found: list[Target] = []
        by_root: dict[Path, list[Path]] = {}
        for start in starts:
            by_root.setdefault(Path(self._roots.of(str(start))), []).append(start)
        for root, inside in by_root.items():
            if self._is_searched(root):
                continue
            if root not in self.listings:
                is_marked = self._roots.is_marked(str(root))
                self.listings[root] = self._listed(root) if is_marked else self._listed_unmarked(root)
            listing = self.listings[root]
            self._shipped.update(listing.shipped)
            # Another project may lie below this one.
            own = [
                each for each in listing.targets if not self._is_searched(each.path) and self.root_of(each.path) == root
            ]
            kept = _within_bounds(own, inside)
            if not listing.is_whole or len(kept) < len(own):
                self._cut.add(root)
            found += kept
        return sorted(found, key=lambda target: target.shown)

    def _is_searched(self, path: Path) -> bool:
        return any(map(path.is_relative_to, self.searched))

    def _listed(self, root: Path) -> Listing:
        found = discover([root], self._untracked_configurations.excludes)
        return Listing(_as_shown(each for each in found.targets if not is_settings(each.shown)), found.shipped)

    def _listed_unmarked(self, root: Path) -> Listing:
        waiting = deque([root])
        targets = _as_shown(self._files_of_unmarked_tree(waiting))
        return Listing(tuple(sorted(targets, key=lambda target: target.shown)), is_whole=not waiting)

    def _files_of_unmarked_tree(self, waiting: deque[Path]) -> Iterator[Target]:
        """The files below a directory that nothing marks as a project, such as the one of all temporary files.

        `waiting` holds that directory, and in the end those that were not searched.
        """
        root = waiting[0]
        for _ in range(_MOST_DIRECTORIES):
            if not waiting:
                return
            directory = waiting.popleft()
            try:
                with os.scandir(directory) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
                for entry in found:
                    path = directory / entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if not (entry.name in SKIPPED_DIRECTORIES or self._untracked_configurations.excludes(path)):
                            waiting.append(path)
                    elif (
                        is_code(entry.name)
                        and entry.is_file()
                        and not (entry.is_symlink() and leads_out(entry.path, root))
                        and not self._untracked_configurations.excludes(path)
                    ):
                        yield Target(path, str(path), entry.stat().st_size)
            except OSError:
                continue


def _as_shown(targets: Iterable[Target]) -> tuple[Target, ...]:
    """Files with their paths from the working directory."""
    here = Path.cwd()
    return tuple(replace(each, shown=_relative_path(each.path, here)) for each in targets)


def _relative_path(path: Path, here: Path) -> str:
    """The path from the working directory, with `..` where needed: a chain of calls is not to name the user's home."""
    try:
        return os.path.relpath(path, here).replace(os.sep, "/")
    except ValueError:  # on Windows, another drive
        return shown_path(path, here)


def _within_bounds(targets: list[Target], starts: Sequence[Path]) -> list[Target]:
    if len(targets) <= MOST_FILES and sum(target.size for target in targets) <= MOST_BYTES:
        return targets
    kept: list[Target] = []
    size = 0

    def farness(target: Target) -> tuple[bool, int]:
        # Notebooks come last: most of their bytes are outputs, and no file imports them.
        return is_notebook(target.shown), min(_steps(target.path.parent, start) for start in starts)

    for target in sorted(targets, key=farness):
        size += target.size
        if len(kept) == MOST_FILES or size > MOST_BYTES:
            break
        kept.append(target)
    return kept


def _steps(one: Path, other: Path) -> int:
    """How many directories lie on the way from one to the other."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.parts, other.parts, strict=False)))
    return len(one.parts) + len(other.parts) - 2 * common
