"""Which project and which repository a directory belongs to, told from the names of files alone."""

from __future__ import annotations

import os
from pathlib import Path

_REPOSITORY = ".git"
_PROJECT = ("pyproject.toml", "setup.cfg", "setup.py", "trainlint.toml")


def project_of(directory: Path) -> Path | None:
    """The directory of the project that an absolute directory belongs to; None where nothing marks one.

    A repository is one project, whatever else stands in it; outside repositories, the nearest directory with a
    project file is. Neither the home directory nor one above it is a project: dotfiles are kept there.
    """
    project = None
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    for place in (directory, *directory.parents):
        if str(place) == home or place.parent == place:
            break
        if _exists(place / _REPOSITORY):
            return place
        if project is None and any(_exists(place / name) for name in _PROJECT):
            project = place
    return project


def repository_of(directory: Path) -> Path | None:
    """The git repository that an absolute directory is in; None where it is in none. No git is run."""
    return next((place for place in (directory, *directory.parents) if _exists(place / _REPOSITORY)), None)


def package_parent(directory: Path) -> Path:
    """The directory that the outermost package around a directory stands in; else the directory itself."""
    while _exists(directory / "__init__.py") and directory.parent != directory:
        directory = directory.parent
    return directory


def _exists(path: Path) -> bool:
    return os.path.lexists(path)  # Path.exists() raises where it may not look
