"""The names that the code of a file uses: its imports, its identifiers, and strings that are names.

Comments, docstrings and sentences for people are left out: they do not say what the code does.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import NAMES, nodes_in
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.syntax.outline import Outline
    from trainlint.analysis.tables.signs import Sign

_LONGEST_NAME = 200
"""Longer strings and identifiers are data, not names that anybody gave."""
_LONGEST_RUN = 4
"""How many words of a name are looked up together, as in `scaled_dot_product_attention`."""
_SPACE = lazy(r"\s")
"""A string with a space in it is a sentence for people, not the name of an option or a path."""
_WORD = lazy(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+[a-z]*")
"""A word of a name: `Grad` and `Scaler` in `GradScaler`, `fp16` in `use_fp16`, `8bit` in `load_in_8bit`."""
_STANDARD_LIBRARY = sys.stdlib_module_names

_NAMING = frozenset(
    (ast.Name, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
)
"""Nodes that hold names themselves."""


class CodeNames:
    """Answers for one file. The tree is walked once, when the words of names are first asked for."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline

    def show(self, *signs: Sign) -> bool:
        """Whether the code uses one of the names of one of the signs."""
        return not all(
            sign.origins.isdisjoint(self.origins)
            and sign.words.isdisjoint(self.words)
            and sign.attributes.isdisjoint(self.attributes)
            for sign in signs
        )

    @cached_property
    def origins(self) -> frozenset[str]:
        """Dotted origins of imports and of what is used of them, each with the modules above it."""
        found: set[str] = set()
        for origin in {*self._imported(), *self._used()}:
            while origin and origin not in found:
                found.add(origin)
                origin = origin.rpartition(".")[0]
        return frozenset(found)

    def _imported(self) -> Iterator[str]:
        for place in self._outline.import_statements:
            if isinstance(place.node, ast.Import):
                yield from (alias.name for alias in place.node.names)
            elif isinstance(place.node, ast.ImportFrom):
                module = "." * place.node.level + (place.node.module or "")
                yield from (f"{module}.{alias.name}" for alias in place.node.names)

    def _used(self) -> Iterator[str]:
        for place in self._outline.references:
            origin = self._outline.imported(place.node, place.block)
            if origin is not None:
                yield origin

    @property
    def words(self) -> frozenset[str]:
        """The words of identifiers, of modules that are imported, and of strings that are names, in lower case.

        Words that follow each other are joined by underscores. Each name is held as a whole, too, and each of them
        also without a number at its end: "use_amp", "use", "amp"; "resnet50", "resnet".
        """
        return self._identifiers[0]

    @property
    def attributes(self) -> frozenset[str]:
        """Names of attributes, methods and keyword arguments, and strings that are names, as they are written."""
        return self._identifiers[1]

    @cached_property
    def _identifiers(self) -> tuple[frozenset[str], frozenset[str]]:
        names: set[str] = set()
        attributes: set[str] = set()
        unread = self._of_standard_library()
        for node in nodes_in(self._outline.tree):
            if node in unread:
                continue
            # Exact types: this looks at each node of a file.
            if type(node) is ast.Attribute:
                attributes.add(node.attr)
            elif type(node) is ast.Expr:
                if type(node.value) is ast.Constant:
                    unread.add(node.value)  # a docstring, which is seen after its statement
            elif type(node) is ast.keyword:
                attributes.add(node.arg or "")
            elif type(node) is ast.Constant:
                if type(node.value) is str and not _SPACE.search(node.value):
                    attributes.add(node.value)
            elif type(node) in _NAMING:
                names.update(_names_of(node))
        words: set[str] = set()
        for name in names | attributes:
            if len(name) <= _LONGEST_NAME:
                words |= _words_of(name)
        return frozenset(words), frozenset(attributes)

    def _of_standard_library(self) -> set[ast.AST]:
        """Names that have nothing to do with training, such as `re.compile`."""
        chains = [place.node for place in self._outline.references]
        return {
            part for chain in chains if self._outline.package(chain) in _STANDARD_LIBRARY for part in nodes_in(chain)
        }


def _names_of(node: ast.AST) -> tuple[str, ...]:
    """The names that a node itself holds."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=aliases):
            return tuple(part for alias in aliases for part in _parts_of(alias.name, alias))
        case ast.ImportFrom(module=module, names=aliases):
            return tuple(part for alias in aliases for part in _parts_of(f"{module or ''}.{alias.name}", alias))
    return ()


def _parts_of(origin: str, alias: ast.alias) -> list[str]:
    """The names in what one import says; none for the standard library."""
    parts = origin.split(".")
    return [*parts, alias.asname or ""] if parts[0] not in _STANDARD_LIBRARY else []


@lru_cache(maxsize=NAMES)
def _words_of(name: str) -> frozenset[str]:
    """The words of one name, those that follow each other also joined, and the name as a whole."""
    words = [word.lower() for word in _WORD.findall(name)]
    runs = {
        "_".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + _LONGEST_RUN, len(words)) + 1)
    }
    return frozenset({name.lower(), *runs, *(re.sub(r"[0-9]+$", "", run) for run in runs)} - {""})
