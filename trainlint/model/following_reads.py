"""Host reads that stand right after a place: the device is waited for there in any case, with or without this place."""

from __future__ import annotations

import ast

from trainlint.model.blocks import Place
from trainlint.model.index_syncs import index_sync
from trainlint.model.read_purposes import asks_for_nan
from trainlint.model.reads import explicit_read
from trainlint.model.site import FileModel
from trainlint.model.uses import own_nodes

_READS = ("item", "tolist", "cpu")
_NEAR = 2
"""Statements that count as right after: one that works with the value, such as a collective, and one that reads."""


def read_follows(file: FileModel, place: Place, *, itself: bool = False) -> bool:
    """Whether a statement right after a place waits for the device; with `itself`, the place's own one counts, too.

    Tests for NaN do not count: where they stand side by side, each of them is one too many.
    """
    function = file.graph.enclosing(place.block)
    root = function.node if function is not None else file.tree
    near = _after(root, place.statement, _NEAR) + ([place.statement] if itself else [])
    for name in _READS:
        for other in file.outline.calls.get(name, ()):
            if other.statement not in near or not isinstance(other.node, ast.Call):
                continue
            read = other.node.func
            if isinstance(read, ast.Attribute) and not asks_for_nan(other.node, other.statement):
                if explicit_read(file.kinds.of(read.value, other.block), file.device):
                    return True
    return any(_counts_a_mask(file, statement) for statement in near)


def _after(root: ast.AST, statement: ast.stmt, count: int) -> list[ast.stmt]:
    """The statements that run next, outwards through branches and `with`, but not into them and not out of loops."""
    for owner in ast.walk(root):
        for field in ("body", "orelse"):
            suite = getattr(owner, field, None)
            if not isinstance(suite, list) or statement not in suite:
                continue
            start = suite.index(statement) + 1
            found: list[ast.stmt] = suite[start : start + count]
            if len(found) < count and isinstance(owner, ast.If | ast.With):
                found = found + _after(root, owner, count - len(found))
            return found
    return []


def _counts_a_mask(file: FileModel, statement: ast.stmt) -> bool:
    block = file.outline.block_of.get(statement)
    return block is not None and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and index_sync(file, node, block, statement) is not None
        for node in own_nodes(statement)
    )
