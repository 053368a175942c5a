"""The project around the files of a run: where files that call them, and that they call, are looked for.

Judging one file of a project must not depend on which other files were named beside it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from trainlint.bounded import leads_out
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import SKIPPED_DIRECTORIES, Target, discover, is_python
from trainlint.paths import shown_path
from trainlint.project import package_parent, project_around, projects_around
from trainlint.records import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config import Config

MOST_FILES = 4_000
"""Of a larger project, only so many files are read for their imports: those nearest in the tree of directories."""
MOST_BYTES = 40_000_000
"""The same in bytes of source. Reading these takes half a second."""
_MOST_DIRECTORIES = 100
"""Where nothing marks a project, no more directories than this are looked through."""


@dataclass(slots=True, eq=False)
class Surroundings:
    """The project files around those of a run. Nothing is listed or read before it is asked for."""

    configurations: Configurations
    """Those of the run. What is looked up for neighbours leaves no trace in them."""
    searched: tuple[Path, ...] = ()
    """Directories whose files all take part in the run."""
    _apart: Configurations = field(init=False)
    _known: dict[tuple[Path, ...], list[Target]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look up nothing in the run's own configurations."""
        self._apart = self.configurations.apart()

    def around(self, files: Sequence[Path]) -> list[Target]:
        """The Python files of the projects that files belong to, and of those that searched directories do.

        The files of searched directories are left out. What ignore files and the configuration leave out takes no
        part, as if it were not there. Of a project that is too large, what lies nearest in the tree of directories.
        """
        asked = tuple(files)
        if asked not in self._known:
            self._known[asked] = self._looked_for(asked)
        return self._known[asked]

    def config_of(self, path: Path) -> Config | None:
        """The configuration that holds for a neighbour; None where it is wrong, which is not what was asked about."""
        try:
            return self._apart.of(path.parent).config
        except Misconfigured:
            return None

    def _looked_for(self, files: Sequence[Path]) -> list[Target]:
        outside = {path.parent for path in files if not any(map(path.is_relative_to, self.searched))}
        starts = sorted({*outside, *self.searched})
        found: dict[Path, Target] = {}
        for start in starts:
            project = project_around(str(start))
            root = Path(project or package_parent(str(start)))
            if any(map(root.is_relative_to, self.searched)):
                continue
            listed = self._listed(root) if project else self._walked(root)
            found |= {target.path: target for target in listed}
        new = [item for path, item in found.items() if not any(map(path.is_relative_to, self.searched))]
        here = Path.cwd()
        shown = [replace(target, shown=_shown(target.path, here)) for target in new]
        return _within_bounds(sorted(shown, key=lambda target: target.shown), starts)

    def _listed(self, root: Path) -> Sequence[Target]:
        return discover([root], self._apart.excludes).targets

    def _walked(self, root: Path) -> Iterator[Target]:
        """The files below a directory that nothing marks as a project, which may be that of all temporary files."""
        waiting = deque([root])
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
                        if not (entry.name in SKIPPED_DIRECTORIES or self._apart.excludes(path)):
                            waiting.append(path)
                    elif (
                        is_python(entry.name)
                        and entry.is_file()
                        and not (entry.is_symlink() and leads_out(entry.path, root))
                        and not self._apart.excludes(path)
                    ):
                        yield Target(path, str(path), entry.stat().st_size)
            except OSError:
                continue


def write_would_leave(path: Path) -> bool:
    """Whether a link, of the file or of a directory on the way, leads out of what the user asked to change.

    That is each project around the absolute path, as its names go; the working directory where no project is around
    that; and for a file in none of these, its own directory.
    """
    around = [Path(place) for place in projects_around(str(path.parent))]
    here = Path.cwd()
    if path.is_relative_to(here) and not any(map(here.is_relative_to, around)):
        around.append(here)
    return any(leads_out(path, place) for place in around or [path.parent])


def _shown(path: Path, here: Path) -> str:
    """The path from the working directory, with `..` where needed: a project's own words name no one's home."""
    try:
        return os.path.relpath(path, here).replace(os.sep, "/")
    except ValueError:  # on Windows, another drive
        return shown_path(path, here)


def _within_bounds(targets: list[Target], starts: Sequence[Path]) -> list[Target]:
    if len(targets) <= MOST_FILES and sum(target.size for target in targets) <= MOST_BYTES:
        return targets
    kept: list[Target] = []
    size = 0
    for target in sorted(targets, key=lambda target: min(_steps(target.path.parent, start) for start in starts)):
        size += target.size
        if len(kept) == MOST_FILES or size > MOST_BYTES:
            break
        kept.append(target)
    return kept


def _steps(one: Path, other: Path) -> int:
    """How many directories lie on the way from one to the other."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.parts, other.parts, strict=False)))
    return len(one.parts) + len(other.parts) - 2 * common
