"""What is installed beside trainlint, by the folders on Python's path: rule packs, and versions of other packages.

Nothing is imported. The same files are read as `importlib.metadata` reads, whose import alone would cost half as much
as Python's own start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache

GROUP = "trainlint.rules"
"""The group of entry points that rule packs come in by."""


class PackError(Exception):
    """The rules cannot be trusted to be complete. The message has a sentence for each thing that is wrong."""


def find_packs() -> Iterator[tuple[str, str]]:
    """Name and target of each entry point of the group, in the order of `sys.path`.

    `importlib.metadata` is asked only where something other than a folder is on the path, such as a zip archive, or
    where an import hook brings distributions of its own.
    """
    if _has_unusual_homes():
        from importlib.metadata import entry_points

        yield from ((entry.name, entry.value) for entry in entry_points(group=GROUP))
        return
    for folder in distributions(tuple(sys.path)).values():
        yield from _entries(f"{folder}{os.sep}entry_points.txt")


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


def _has_unusual_homes() -> bool:
    if any(map(os.path.isfile, sys.path)):
        return True
    own = ("_frozen_importlib_external", "_frozen_importlib", "importlib.metadata")
    return any(
        hasattr(finder, "find_distributions") and getattr(finder, "__module__", None) not in own
        for finder in sys.meta_path
    )


def _entries(file: str) -> Iterator[tuple[str, str]]:
    """The group's lines in an entry_points.txt, an INI file without continuation lines."""
    try:
        with open(file, "rb", buffering=0) as lines:
            data = lines.read()
    except OSError:  # most distributions have no entry points
        return
    if GROUP.encode() not in data:
        return
    section = ""
    for line in map(str.strip, data.decode("utf-8", "replace").splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == GROUP and line and line[0] not in "#;":
            name, _, target = line.partition("=")
            yield name.strip(), target.strip()
