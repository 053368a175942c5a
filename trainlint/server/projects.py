"""The projects of the open documents, each with the session in which its documents are judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.session import Session
from trainlint.import_path import protect_imports
from trainlint.paths import is_directory, shown_path
from trainlint.project import package_parent, project_around
from trainlint.source import SourceFile, source_from_text

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.configurations import Configurations
    from trainlint.server.documents import Document

UNNAMED = "<untitled>"


@dataclass(eq=False)
class Project:
    """One project with open documents."""

    root: Path
    session: Session
    looked: float = 0.0
    """When files on disk were looked at last, by the clock of `time.monotonic`."""

    def source(self, document: Document) -> SourceFile:
        """The text of a document, with its path as reports show it."""
        return source_from_text(shown_path(self.path(document), self.root), document.text)

    def path(self, document: Document) -> Path:
        """The place of a document. One without a file stands beside the files at the top of the project."""
        return document.path or self.root / UNNAMED


class Projects:
    """The projects by their directories. A project begins with the first document that is judged in it."""

    def __init__(
        self,
        configurations: Configurations,
        cache: Callable[[Path], Cache | None],
        interruptible: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`cache` gives the cache for the project in a directory, which is the working directory then."""
        self.folders: tuple[Path, ...] = ()
        """The directories that are open in the editor, absolute."""
        self._configurations = configurations
        self._cache = cache
        self._interruptible = interruptible
        self._projects: dict[Path, Project] = {}

    def of(self, document: Document) -> Project:
        """The project of a document."""
        root = self._root(document.path)
        project = self._projects.get(root)
        if project is None:
            protect_imports([str(root)])
            session = Session(self._configurations.untracked_copy(), lambda: self._cache(root), self._interruptible)
            project = self._projects[root] = Project(root, session)
        return project

    def forget(self, root: Path) -> None:
        """Let go of a project without open documents."""
        self._projects.pop(root, None)

    def __iter__(self) -> Iterator[Project]:
        return iter(list(self._projects.values()))

    def _root(self, path: Path | None) -> Path:
        if path is None:
            return self.folders[0] if self.folders else Path.home()
        directory = str(path.parent)
        around = project_around(directory)
        if around is not None:
            return Path(around)
        holding = [folder for folder in self.folders if path.is_relative_to(folder)]
        root = max(holding, key=lambda folder: len(folder.parts), default=Path(package_parent(directory)))
        while not is_directory(root) and root != root.parent:
            root = root.parent  # a new file in a directory that is not there yet
        return root


def enter(project: Project) -> None:
    """Make the project's directory the working directory, as if `trainlint check` were started there.

    Paths in reports begin there, and the cache is the one that `trainlint check` uses there.
    """
    with suppress(OSError):  # it may just have been deleted; then there is nothing to link a text with
        os.chdir(project.root)
