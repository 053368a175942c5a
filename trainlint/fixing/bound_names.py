"""New statements, put in only where every name that they read is bound."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.fixing.layout import Unfixable
from trainlint.fixing.statements import insert_before

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.finding import Edit


def insert_where_bound(file: SemanticModel, statement: ast.stmt, text: str) -> Edit:
    """`insert_before`, for text whose names are all bound by then on every way.

    Raises Unfixable where a name may be unbound: the code binds it further down, as a later line of a loop, or only in
    one branch.
    """
    for node in nodes_in(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not hasattr(builtins, node.id):
            if not _is_bound(file, node.id, statement):
                raise Unfixable(f"`{node.id}` may not be bound at line {statement.lineno} of {file.source.path}")
    return insert_before(file.source, statement, text)


def _is_bound(file: SemanticModel, name: str, statement: ast.stmt) -> bool:
    block = file.outline.block_of[statement]
    function = file.outline.enclosing(block)
    return any(
        block.within(binding.block)
        and (file.outline.enclosing(binding.block) is not function or binding.position <= position(statement))
        for binding in reaching(name, block, position(statement))
    )
