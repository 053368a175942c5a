"""Which file an import means: in packages, src layouts, scripts beside packages, and on a changed `sys.path`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TypeAlias

from trainlint.analysis.tables.common_names import FOREIGN, LIBRARIES, SOURCE_FOLDERS, is_library

_SOURCES = ("", *(f"/{folder}" for folder in SOURCE_FOLDERS))
_PACKAGE = "/__init__.py"

Found: TypeAlias = tuple[int, tuple[str, ...]]
"""A file, by its place, and the names that are left to look up in it."""


class Modules:
    """The files of a project by the names that they can be imported by. Answers are remembered."""

    def __init__(self, paths: Sequence[PurePath]) -> None:
        """`paths` are absolute; a file is named by its place among them."""
        self._files = {path.as_posix(): number for number, path in enumerate(paths)}
        self._paths = [path.as_posix() for path in paths]
        self._homes = [path.parent.as_posix() for path in paths]
        self._is_package = [path.name == "__init__.py" for path in paths]
        self._folders: set[str] = set()
        for home in set(self._homes):
            while home not in self._folders:
                self._folders.add(home)
                home = _parent(home)
        self._tops: dict[str, set[str]] = {}
        for number, home in enumerate(self._homes):
            if self._is_package[number]:
                self._tops.setdefault(home.rpartition("/")[2], set()).add(_parent(home))
        self._named: dict[str, list[int]] = {}
        """Last part of a module's dotted name → the files that could be it."""
        for number, path in enumerate(paths):
            last = path.parent.name if self._is_package[number] else path.stem
            self._named.setdefault(last, []).append(number)
        self._roots: dict[tuple[str, str], str | None] = {}
        self._known: dict[tuple[str, str], Found | None] = {}

    def resolve(self, importer: int, origin: str) -> Found | None:
        """The file that a dotted origin leads to, and the names that are left of it to look up there.

        A relative origin keeps its leading dots. None for a module that is not among the files.
        """
        key = (self._homes[importer], origin)
        if key not in self._known:
            self._known[key] = self._resolve(*key)
        return self._known[key]

    def inside(self, number: int, name: str) -> Found | None:
        """A module of this name beside the `__init__.py` that a package is."""
        if not self._is_package[number]:
            return None
        at = f"{self._homes[number]}/{name}"
        module = self._files.get(at + ".py", self._files.get(at + _PACKAGE))
        return (module, ()) if module is not None else None

    def _resolve(self, home: str, origin: str) -> Found | None:
        level = len(origin) - len(origin.lstrip("."))
        parts = tuple(part for part in origin[level:].split(".") if part)
        if level:
            for _ in range(level - 1):
                home = _parent(home)
            return self._descend(home, parts)
        if not parts:
            return None
        root = self._root(home, parts[0])
        found = self._descend(root, parts) if root is not None else None
        if found is None or found[1]:
            around = self._in_package_around(home, parts)
            if around is not None and (found is None or len(around[1]) < len(found[1])):
                return around
        return found if found is not None else self._by_suffix(parts)

    def _in_package_around(self, home: str, parts: tuple[str, ...]) -> Found | None:
        """The file that a dotted name means in a folder around `home` that is called like its first part.

        Of `layers/layers.py` and the package `layers/`, `layers.masks` means the package, also in `layers/` itself.
        """
        folder = home
        while folder:
            if folder.endswith("/" + parts[0]):
                return self._descend(_parent(folder), parts)
            folder = _parent(folder)
        return None

    def _by_suffix(self, parts: tuple[str, ...]) -> Found | None:
        """The only file whose path ends with the longest part of a dotted name, wherever it stands.

        So are modules found on a `sys.path` that scripts, tasks or tests have changed.
        """
        if is_library(parts[0]):
            return None
        for taken in range(len(parts), 0, -1):
            tail = "/" + "/".join(parts[:taken])
            found = [number for number in self._named.get(parts[taken - 1], ()) if self._module(number).endswith(tail)]
            if found:
                return (found[0], parts[taken:]) if len(found) == 1 else None
        return None

    def _module(self, number: int) -> str:
        """The path of a module without `.py`, or of a package's folder."""
        if self._is_package[number]:
            return self._homes[number]
        return self._paths[number].removesuffix(".py")

    def _root(self, home: str, first: str) -> str | None:
        """The folder, from `home` outwards, in which a top module or package of this name stands."""
        key = (home, first)
        if key not in self._roots:
            self._roots[key] = self._search(home, first)
        return self._roots[key]

    def _search(self, home: str, first: str) -> str | None:
        """The same, worked out. In a package, a module that is called like a library hides no library.

        Other modules of a package are found by their bare names, since programs are run in packages, too. A copy of a
        library that lies elsewhere, as in another project of the repository, is not what programs here import.
        """
        inside = first in FOREIGN and home + _PACKAGE in self._files
        for source in () if inside else _SOURCES:
            at = home + source
            if f"{at}/{first}.py" in self._files or f"{at}/{first}" in self._folders:
                return at
        if home in self._folders and _parent(home) != home:
            return self._root(_parent(home), first)
        tops = self._tops.get(first, set()) if first not in LIBRARIES else set()
        return next(iter(tops)) if len(tops) == 1 else None

    def _descend(self, at: str, parts: tuple[str, ...]) -> Found | None:
        for taken, part in enumerate(parts):
            below = f"{at}/{part}"
            module = self._files.get(below + ".py")
            if below in self._folders and (module is None or below + _PACKAGE in self._files):
                at = below
                continue
            if module is not None:
                return module, parts[taken + 1 :]
            package = self._files.get(at + _PACKAGE)
            return (package, parts[taken:]) if package is not None else None
        package = self._files.get(at + _PACKAGE)
        return (package, ()) if package is not None else None


def _parent(folder: str) -> str:
    return folder.rpartition("/")[0]
