"""The files of projects that say how their code is run: configurations, launch scripts, pages with commands."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path, PurePath

from trainlint.bounded import SHIPPED_BYTES, read_bounded
from trainlint.project import project_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache

MOST_FILES = 1_000
"""The most files of one project that are read: launch scripts before pages, configurations and JSON, the nearest to the
project's top first."""
_FIRST = (".sh", ".bash", ".slurm", ".sbatch", ".md", ".yaml", ".yml", ".toml", ".json")


class ShippedFiles:
    """Answers for the projects of a run. No file is read before it is asked for."""

    def __init__(self, paths: Collection[str]) -> None:
        """`paths` are absolute."""
        self._project_of: dict[str, str | None] = {}
        self._paths: dict[str, list[str]] = {}
        self._known: dict[tuple[str, ...], frozenset[str]] = {}
        for path in sorted(paths, key=_order):
            project = self._project(str(PurePath(path).parent))
            if project is not None and len(self._paths.setdefault(project, [])) < MOST_FILES and _is_small(path):
                self._paths[project].append(path)

    def turned_on(self, files: Collection[Path]) -> frozenset[str]:
        """The options that the projects of some files set to something else than off."""
        paths = self._of(files)
        if not paths:
            return frozenset()
        from trainlint.analysis.project.shipped_options import turned_on

        if paths not in self._known:
            self._known[paths] = turned_on(self._texts(paths))
        return self._known[paths]

    def digest(self, files: Collection[Path], cache: Cache) -> bytes:
        """What stands for all that the shipped files of the projects of some files hold."""
        paths = self._of(files)
        cache.contents.look(paths)
        return cache.key("shipped", *(part for path in paths for part in (path, cache.contents.digest(path) or b"")))

    def _of(self, files: Collection[Path]) -> tuple[str, ...]:
        projects = {self._project(str(path.parent)) for path in files}
        return tuple(path for project in sorted(filter(None, projects)) for path in self._paths.get(project, ()))

    def _project(self, directory: str) -> str | None:
        if directory not in self._project_of:
            self._project_of[directory] = project_around(directory)
        return self._project_of[directory]

    def _texts(self, paths: Collection[str]) -> Iterator[tuple[str, str]]:
        for path in paths:
            try:
                data = read_bounded(path, SHIPPED_BYTES)
            except OSError:
                continue  # what cannot be read sets nothing
            yield PurePath(path).suffix, data.decode("utf-8", "replace")


def _order(path: str) -> tuple[int, int, str]:
    return _FIRST.index(PurePath(path).suffix), path.count(os.sep), path


def _is_small(path: str) -> bool:
    try:
        return Path(path).stat().st_size <= SHIPPED_BYTES
    except OSError:
        return False
