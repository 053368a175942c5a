"""The names that a file takes from other files: imported from them, asked of them as of modules, or named in texts.

A module that is used otherwise than `module.name` may be asked for any name. A text that is a dotted name may be one by
which something is looked up, as by `mock.patch("train.clip_grad_norm")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.tables.frameworks.packages import ARRAYS, OTHERS, brings_torch
from trainlint.patterns import lazy

ANY = "*"
"""Stands for each name of a module."""
_DOTTED_TEXT = lazy(r"""["']([A-Za-z_]\w*(?:\.\w+)+)["']""")

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def taken_names(file: SemanticModel) -> frozenset[str]:
    """Their dotted names, as the file's imports write them; those of known libraries are left out."""
    named = _DOTTED_TEXT.findall(file.source.text)
    return frozenset(origin for origin in (*_imported(file), *_asked(file), *named) if not _is_library(origin))


def _imported(file: SemanticModel) -> Iterator[str]:
    for place in file.outline.import_statements:
        if isinstance(place.node, ast.ImportFrom):
            module = "." * place.node.level + (place.node.module or "")
            yield from (_joined(module, alias.name) for alias in place.node.names)


def _asked(file: SemanticModel) -> Iterator[str]:
    """What is asked of an imported module."""
    for place in file.outline.references:
        origin = file.outline.origin(place.node)
        if origin is not None:
            yield origin if isinstance(place.node, ast.Attribute) else f"{origin}.{ANY}"


def _joined(module: str, name: str) -> str:
    return module + name if module.endswith(".") else f"{module}.{name}"


def _is_library(origin: str) -> bool:
    package = origin.partition(".")[0]
    return brings_torch(package) or package in ARRAYS or package in OTHERS
