"""Tests that let code run on some ranks only: `rank == 0`, `is_main_process()`."""

from __future__ import annotations

import ast
from functools import lru_cache

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import NAMES, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.ranks import RANK_NAME

_DEEPEST = 3
_TELLING = ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Name | ast.Attribute
"""What a flag is assigned that says which rank this is; a number that was computed from ranks says something else."""


def asks_for_rank(test: ast.expr, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether a test depends on the rank of the process, itself or through a flag that was assigned before.

    A flag that a call returned counts by the name of what was called: `save = is_main_process()`.
    """
    parts = nodes_in(test)
    if any(_is_rank(last_name(part)) for part in parts if isinstance(part, (ast.Name, ast.Attribute))):
        return True
    return depth > 0 and _was_assigned_rank(parts, block, depth)


def _was_assigned_rank(parts: list[ast.AST], block: Block, depth: int) -> bool:
    """Whether one of the names in a test was assigned what tells the rank."""
    values = [
        (binding.value, binding.block)
        for name in parts
        if type(name) is ast.Name
        for binding in reaching(name.id, block, position(name))
        if binding.how is How.ASSIGN and not binding.path
    ]
    return any(
        _is_rank(last_name(value.func))
        if isinstance(value, ast.Call)
        else isinstance(value, _TELLING) and asks_for_rank(value, around, depth - 1)
        for value, around in values
    )


@lru_cache(NAMES)
def _is_rank(name: str) -> bool:
    return bool(RANK_NAME.search(name))
