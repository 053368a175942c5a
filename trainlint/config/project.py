"""What belongs to a project, so that its own files may be read and others' are not."""

from __future__ import annotations

from pathlib import Path

from trainlint.bounded import leads_out

PROJECT_FILES = frozenset((".git", "pyproject.toml", "setup.py", "setup.cfg"))
"""Any of these lies at the top of a project."""


def project_of(directory: Path) -> Path:
    """The top of the project that a directory belongs to.

    It is the nearest directory upward with a `.git`, else the nearest with another project file, else the directory.
    """
    places = (directory, *directory.parents)
    for names in ((".git",), tuple(PROJECT_FILES)):
        for place in places:
            if any((place / name).exists() for name in names):
                return place
    return directory


def leaves_project(path: Path) -> bool:
    """Whether a path leads, by a link or by `..`, out of the project of the directory that it is found in."""
    return leads_out(path, project_of(path.parent))
