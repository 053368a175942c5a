"""Whether what a fix rewrites is surely PyTorch's, which a SAFE fix needs.

Arrays and models of other libraries have methods of the same names, and names such as `model` or `DataLoader` may
stand for something else.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.tables.frameworks.packages import OTHERS, brings_torch
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def imports_other_framework(file: SemanticModel) -> bool:
    """Whether a file imports another framework of deep learning, be it beside PyTorch."""
    outline = file.outline
    return any(origin.partition(".")[0] in OTHERS for origin in (*outline.imports.values(), *outline.stars))


def imports_torch(file: SemanticModel) -> bool:
    """Whether a file imports PyTorch, or a package that works with its objects."""
    outline = file.outline
    packages = {origin.partition(".")[0] for origin in (*outline.imports.values(), *outline.stars)}
    return any(map(brings_torch, packages))


def means_only(node: ast.expr, block: Block, names: Collection[str]) -> bool:
    """Whether nothing but imports of some dotted names reaches a place under the name that is written there."""
    return all(origin in names for origin in origins(node, block))


def proved_torch(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether an expression is surely an object of PyTorch's, such as a tensor or a module.

    Code in sight must have made it, passed it or declared it; a name that sounds like one is no proof.
    """
    value = file.kinds.of(node, block)
    return value.kind is not Kind.UNKNOWN and value.proved
