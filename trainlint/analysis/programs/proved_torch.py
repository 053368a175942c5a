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
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import root_name
from trainlint.analysis.tables.frameworks.packages import ARRAYS, OTHERS, brings_torch
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def imports_other_framework(file: SemanticModel) -> bool:
    """Whether a file imports another framework of deep learning, be it beside PyTorch."""
    outline = file.outline
    return any(origin.partition(".")[0] in OTHERS for origin in (*outline.imports.values(), *outline.stars))


def may_mean_arrays(file: SemanticModel) -> bool:
    """Whether a file works with arrays or tables of other packages, and nothing in sight brings PyTorch to it."""
    outline = file.outline
    packages = {origin.partition(".")[0] for origin in (*outline.imports.values(), *outline.stars)}
    return not packages.isdisjoint(ARRAYS) and not any(map(brings_torch, packages)) and not file.outside.reaches_torch


def imports_torch(file: SemanticModel) -> bool:
    """Whether a file imports PyTorch, or a package that works with its objects."""
    outline = file.outline
    packages = {origin.partition(".")[0] for origin in (*outline.imports.values(), *outline.stars)}
    return any(map(brings_torch, packages))


def means_only(node: ast.expr, block: Block, names: Collection[str]) -> bool:
    """Whether nothing but imports of some dotted names reaches a place under the name that is written there."""
    return all(origin in names for origin in origins(node, block))


def proved_name(file: SemanticModel, node: ast.expr, block: Block, names: Collection[str]) -> bool:
    """The same, where no `from module import *` behind the import may bind the name anew either."""
    return means_only(node, block, names) and not may_be_starred_anew(file, root_name(node))


@once
def may_be_starred_anew(file: SemanticModel, name: str) -> bool:
    """Whether `from module import *` stands behind the last import of a name, and may bind it to something else."""
    anew = file.outside.starred_anew
    if not file.outline.stars or (anew is not None and name not in anew):
        return False
    last_import, last_star = 0, 0
    for place in file.outline.import_statements:
        statement = place.node
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        bound = {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        if name in bound:
            last_import = max(last_import, statement.lineno)
        elif "*" in bound and not (getattr(statement, "module", None) or "").startswith("torch"):
            last_star = max(last_star, statement.lineno)
    return last_star > last_import


def proved_torch(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether an expression is surely an object of PyTorch's, such as a tensor or a module.

    Code in sight must have made it, passed it or declared it; a name that sounds like one is no proof.
    """
    value = file.kinds.of(node, block)
    return value.kind is not Kind.UNKNOWN and value.proved
