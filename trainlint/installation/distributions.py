"""What is installed beside trainlint: rule packs, commands, and versions of other packages.

Nothing is imported. The same files are read as `importlib.metadata` reads, whose import alone would cost half as much
as Python's own start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache

from trainlint.import_path import HOME, folders_of_installers, resolved

GROUP = "trainlint.rules"
"""The group of entry points in which distributions name their rule packs."""


class PackError(Exception):
    """The rules cannot be trusted to be complete. Each argument is a sentence on one thing that is wrong."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is wrong."""
        return self.args

    def __str__(self) -> str:
        return "\n".join(self.args)


def find_packs() -> Iterator[tuple[str, str]]:
    """Name and target of each entry point of the group of rule packs, in the order of `sys.path`."""
    return entry_points(GROUP)


def entry_points(group: str) -> Iterator[tuple[str, str]]:
    """Name and target of each entry point of a group that an installed distribution declares.

    Only the folders that installers write to are searched: a folder of PYTHONPATH may hold whatever a repository
    brings. Distributions in zip archives, and those that an import hook makes up, do not count.
    """
    for folder in distributions(_folders()).values():
        yield from _entries(f"{folder}{os.sep}entry_points.txt", group)


@cache
def distributions(path: tuple[str, ...]) -> Mapping[str, str]:
    """The folder of metadata of each distribution on a path, such as `libcst-1.9.0.dist-info`, by its name.

    Names are in lower case, with an underscore for each dot and hyphen.
    """
    found: dict[str, str] = {}
    for place in dict.fromkeys(path):
        try:
            with os.scandir(place or ".") as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith("-info"))
        except OSError:  # what is not there, or is no folder, holds nothing
            continue
        for name in names:
            distribution = name.partition("-")[0].removesuffix(".egg").lower().replace(".", "_")
            # The first one on the path is the one that Python imports from.
            found.setdefault(distribution, os.path.join(place, name))
    return found


def homes(package: str) -> tuple[str, ...]:
    """The folders that a package's modules lie in, or the file of a module; none where Python would find neither."""
    within: list[str] | None = None
    found: tuple[str, ...] = ()
    name = ""
    for part in package.split("."):
        if name and within is None:  # a module holds no others
            return ()
        name = f"{name}.{part}" if name else part
        # `importlib.util.find_spec` would import the packages above.
        specs = (finder.find_spec(name, within) for finder in sys.meta_path if hasattr(finder, "find_spec"))
        spec = next(filter(None, specs), None)
        if spec is None:
            return ()
        within = spec.submodule_search_locations
        found = tuple(within if within is not None else filter(None, (spec.origin,)))
    return found


def _folders() -> tuple[str, ...]:
    """The folders of `sys.path` that installers write to, and the one that trainlint was installed in."""
    known = {resolved(folder) for folder in (*folders_of_installers(), HOME)}
    return tuple(entry for entry in sys.path if resolved(entry) in known)


def _entries(file: str, group: str) -> Iterator[tuple[str, str]]:
    """The group's lines in an entry_points.txt, an INI file without continuation lines."""
    try:
        with open(file, "rb", buffering=0) as lines:
            data = lines.read()
    except OSError:  # most distributions have no entry points
        return
    if group.encode() not in data:
        return
    section = ""
    for line in map(str.strip, data.decode("utf-8", "replace").splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and line and line[0] not in "#;":
            name, _, target = line.partition("=")
            yield name.strip(), target.strip()
