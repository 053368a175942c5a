"""The modules of a project, and which of them an import means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trainlint.core.project.definitions import Environment

TEST_PATH: Final = re.compile(
    r"(^|/)(tests?|testing|unit_tests?|benchmarks?)/|(^|/)(test_[^/]*|[^/]*_test|conftest|setup)\.py$"
)
_PACKAGE_FILE: Final = ".__init__"


@dataclass(slots=True, eq=False)
class Module:
    """A file of the project, and what its top level has defined so far."""

    path: str
    """Below the root of the project, with slashes."""
    name: str
    """Dotted, as it is imported from the root of the project."""
    tree: ast.Module
    names: Environment = field(default_factory=dict)
    star_imports: list[str] = field(default_factory=list)
    """Libraries whose names were all imported."""
    executed: bool = False
    imported: bool = False
    """Whether another file of the project imports this one, so far."""

    @property
    def is_package(self) -> bool:
        """Whether the file is an `__init__.py`."""
        return self.path.rpartition("/")[2] == "__init__.py"

    @property
    def is_program(self) -> bool:
        """Whether the file does something when it is executed, besides defining names."""
        return any(isinstance(node, ast.If | ast.For | ast.While | ast.With) for node in self.tree.body)

    @property
    def is_test(self) -> bool:
        """Whether the path is one of tests or benchmarks."""
        return TEST_PATH.search(self.path) is not None


class Project:
    """All modules, in the order of their paths."""

    def __init__(self, files: Iterable[tuple[str, ast.Module]]) -> None:
        """Take paths below the root with their trees, in any order."""
        self.modules: dict[str, Module] = {}
        self._by_tail: dict[str, list[Module]] = {}
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
        counts; of several the one nearest to the importing file, those of tests last.
        """
        here = importer.name.split(".")
        for depth in range(len(here), -1, -1):
            found = self.modules.get(".".join([*here[:depth], dotted]))
            if found is not None:
                return found
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
