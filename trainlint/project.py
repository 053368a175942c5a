"""Which project a directory belongs to.

This is asked before anything else is imported (trainlint/import_path.py), so nothing is imported here that Python has
not imported already; `from __future__ import annotations` would import a module, too.
"""

import os

_REPOSITORY = ".git"
_PROJECT = ("pyproject.toml", "setup.cfg", "setup.py", "trainlint.toml")


def project_around(directory: str) -> str | None:
    """The directory of the project that an absolute directory belongs to; None where nothing marks one.

    A repository is one project, whatever else stands in it; outside repositories, the nearest directory with a
    project file is. Neither the home directory nor one above it is a project: dotfiles are kept there.
    """
    marked = projects_around(directory)
    return next((place for place in marked if _exists(place, _REPOSITORY)), marked[0] if marked else None)


def projects_around(directory: str) -> list[str]:
    """Every directory, from an absolute one upwards and below the home directory, that marks a project."""
    home = os.path.expanduser("~")
    found = []
    place = directory
    while place not in (home, os.path.dirname(place)):
        if any(_exists(place, name) for name in (_REPOSITORY, *_PROJECT)):
            found.append(place)
        place = os.path.dirname(place)
    return found


def _exists(place: str, name: str) -> bool:
    return os.path.lexists(f"{place}{os.sep}{name}")
