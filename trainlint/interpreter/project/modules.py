"""The modules of a project, and which of them an import means."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from itertools import takewhile
from typing import Final, NamedTuple

from trainlint.analysis.tables.common_names import FOREIGN, SOURCE_FOLDERS, is_library
from trainlint.interpreter.values.definitions import Module

_PACKAGE_FILE: Final = ".__init__"


class Declared(NamedTuple):
    """What the user says of functions, by name or qualified name."""

    hot: frozenset[str] = frozenset()
    """They run in each training step."""
    cold: frozenset[str] = frozenset()
    """They do not, though it looks so."""


UNDECLARED: Final = Declared()


class Project:
    """All modules, in the order of their paths."""

    def __init__(
        self,
        files: Iterable[tuple[str, ast.Module]],
        turned_on: frozenset[str] = frozenset(),
        declared: Declared = UNDECLARED,
    ) -> None:
        """Take paths below the root with their trees, in any order, and options that files beside the code set.

        `declared` is what the user says of functions.
        """
        self.turned_on = turned_on
        self.declared = declared
        self.modules: dict[str, Module] = {}
        self._by_tail: dict[str, list[Module]] = {}
        self._found: dict[tuple[str, str], Module | None] = {}
        for path, tree in sorted(files, key=lambda file: file[0]):
            name = path.removesuffix(".py").replace("/", ".")
            name = "" if name == _PACKAGE_FILE[1:] else name.removesuffix(_PACKAGE_FILE)
            module = self.modules[name] = Module(path, name, tree)
            parts = name.split(".")
            for start in range(len(parts)):
                self._by_tail.setdefault(".".join(parts[start:]), []).append(module)

    def absolute(self, dotted: str, importer: Module) -> Module | None:
        """The module that `import dotted` means, seen from a file of the project; None for a library.

        Any directory above the importing file may be on the path. Otherwise the one module whose dotted name ends so
        counts; of several the one nearest to the importing file, those of tests last. A module that is called like a
        library hides no library in a package, nor where it lies elsewhere.
        """
        asked = dotted, importer.name
        if asked not in self._found:
            self._found[asked] = self._find(dotted, importer)
        return self._found[asked]

    def above(self, dotted: str, importer: Module) -> Module | None:
        """The module of that name below a directory above the importing file, or below a folder for sources there.

        None where there is none.
        """
        here = importer.name.split(".")
        first = dotted.partition(".")[0]
        of_library = first in FOREIGN or first in sys.stdlib_module_names
        for depth in range(len(here), -1, -1):
            around = ".".join(here[:depth])
            beside = () if of_library and self._is_package(around) else ("",)
            for folder in (*beside, *SOURCE_FOLDERS):
                found = self.modules.get(".".join(part for part in (around, folder, dotted) if part))
                if found is not None:
                    return found
        return None

    def _is_package(self, name: str) -> bool:
        return name in self.modules and self.modules[name].is_package

    def _find(self, dotted: str, importer: Module) -> Module | None:
        found = self.above(dotted, importer)
        if found is not None:
            return found
        if is_library(dotted.partition(".")[0]):
            return None
        tails = self._by_tail.get(dotted, [])
        tails = [module for module in tails if not module.is_test] or tails
        if len(tails) == 1 or (tails and "." in dotted):
            return max(tails, key=lambda module: _common_parts(module.name, importer.name))
        return None

    def relative(self, importer: Module, level: int, dotted: str) -> str:
        """The dotted name that `from ..dotted import x` means in a file."""
        parts = importer.name.split(".")
        base = parts[: len(parts) - level + (1 if importer.is_package else 0)]
        return ".".join([*base, dotted] if dotted else base)


def _common_parts(name: str, other: str) -> int:
    """How many packages two dotted names share from the left."""
    pairs = zip(name.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
