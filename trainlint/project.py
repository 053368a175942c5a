"""Which project, repository and package a directory belongs to, told by the names of files alone.

This is asked before anything else is imported (trainlint/import_path.py), so nothing is imported here that Python has
not imported already; `from __future__ import annotations` would import a module, too. Directories are absolute paths.
"""

import os

REPOSITORY = ".git"
PROJECT_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "trainlint.toml")
"""Files that mark the directory of a project where there is no repository."""


def project_around(directory: str) -> str | None:
    """The directory of the project that a directory belongs to; None where nothing marks one.

    A repository is one project, whatever else stands in it; outside repositories, the nearest directory with a
    project file is. Neither the home directory nor one above it is a project: dotfiles are kept there.
    """
    marked = projects_around(directory)
    return next((place for place in marked if _holds(place, REPOSITORY)), marked[0] if marked else None)


def projects_around(directory: str) -> list[str]:
    """Every directory, from a directory upwards and below the home directory, that marks a project."""
    home = os.path.expanduser("~")
    found = []
    place = directory
    while place not in (home, os.path.dirname(place)):
        if any(_holds(place, name) for name in (REPOSITORY, *PROJECT_FILES)):
            found.append(place)
        place = os.path.dirname(place)
    return found


def judged_tree(directory: str) -> str:
    """The directory whose author may have written everything that is judged in a directory, with links resolved.

    It is the repository; where there is none, the outermost directory that has a project file; else the directory
    itself. The home directory counts like any other: CI may set HOME to the checkout.
    """
    found = place = os.path.realpath(directory)
    while place != os.path.dirname(place):
        repository = os.path.join(place, REPOSITORY)
        if os.path.isdir(repository) and not os.path.islink(repository):
            return place
        # A file of this name is that of a submodule, which the author of the repository around it has chosen.
        if any(_holds(place, name) for name in (REPOSITORY, *PROJECT_FILES)):
            found = place
        place = os.path.dirname(place)
    return found


def repository_around(directory: str) -> str | None:
    """The git repository that a directory is in; None where it is in none. No git is run."""
    place = directory
    while not _holds(place, REPOSITORY):
        if place == os.path.dirname(place):
            return None
        place = os.path.dirname(place)
    return place


def package_parent(directory: str) -> str:
    """The directory that the outermost package around a directory stands in; else the directory itself."""
    while _holds(directory, "__init__.py") and os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
    return directory


def module_lies_in(folder: str, module: str) -> bool:
    """Whether a directory holds anything that a module of this name may be: a file in any language, or a directory."""
    try:
        return any(name.partition(".")[0] == module for name in os.listdir(folder))
    except OSError:
        return False


def lies_in(place: str, tree: str) -> bool:
    """Whether a path is a directory or lies below it. Both are absolute and have their links resolved."""
    return place == tree or place.startswith(tree.rstrip(os.sep) + os.sep)


def _holds(place: str, name: str) -> bool:
    return os.path.lexists(os.path.join(place, name))
