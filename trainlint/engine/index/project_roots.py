"""Which directory holds the files that a file is linked with: that of its project, whatever paths a run names."""

from __future__ import annotations

from pathlib import Path

from trainlint.project import lies_in, package_parent, project_around


class ProjectRoots:
    """Answers for the directories of a run. What was found out about one is remembered."""

    def __init__(self) -> None:
        self._here = package_parent(str(Path.cwd()))
        self._home = str(Path("~").expanduser())
        self._known: dict[str, str] = {}
        self._marked: set[str] = set()

    def of(self, directory: str) -> str:
        """The root of the files in an absolute directory.

        Where nothing marks a project, it is the working directory if that is around the directory, so that
        `trainlint check .` and `trainlint check models/net.py` link the same files; else the directory itself. Of a
        package, it is the directory around that.
        """
        root = self._known.get(directory)
        if root is None:
            root = project_around(directory)
            if root is None:
                root = self._here if self._is_below_here(directory) else package_parent(directory)
            else:
                self._marked.add(root)
            self._known[directory] = root
        return root

    def is_marked(self, root: str) -> bool:
        """Whether a root is one since something marks it as a project."""
        return root in self._marked

    def _is_below_here(self, directory: str) -> bool:
        """Whether a directory is the working directory or below it. A home directory holds all sorts of things."""
        return lies_in(directory, self._here) and not lies_in(self._home, self._here)
