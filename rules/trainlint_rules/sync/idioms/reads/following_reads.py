"""Host reads that stand right after a place: the device is waited for there in any case, with or without this place."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.reads import explicit_read
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import nodes_in
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.analysis.tables.host_reads import WAITING_TO_HOST
from trainlint_rules.sync.idioms.index_syncs import index_sync
from trainlint_rules.sync.idioms.reads.nan_tests import asks_for_nan

_NEAR = 2
"""Statements that count as right after: one that works with the value, such as a collective, and one that reads."""


def read_follows(file: SemanticModel, place: Place, *, itself: bool = False) -> bool:
    """Whether a statement right after a place waits for the device; with `itself`, the place's own one counts, too.

    Tests for NaN do not count: where they stand side by side, each of them is one too many.
    """
    function = file.graph.enclosing(place.block)
    root = function.node if function is not None else file.tree
    near = _next_statements(_suites(file, root), place.statement, _NEAR) + ([place.statement] if itself else [])
    for other in (read for statement in near for read in _reads(file).get(statement, ())):
        assert isinstance(other.node, ast.Call)
        read = other.node.func
        if isinstance(read, ast.Attribute) and not asks_for_nan(file, other.node, other.statement):
            if explicit_read(file.kinds.of(read.value, other.block), file.device):
                return True
    return any(_counts_a_mask(file, statement) for statement in near)


@once
def _reads(file: SemanticModel) -> dict[ast.stmt, list[Place]]:
    """Calls that by their names may be host reads, by the statement that holds them."""
    found: dict[ast.stmt, list[Place]] = {}
    for name in sorted(WAITING_TO_HOST):
        for place in file.outline.calls.get(name, ()):
            found.setdefault(place.statement, []).append(place)
    return found


_Suites = dict[ast.stmt, tuple[ast.AST, list[ast.stmt], int]]
"""For each statement, what it stands in the body or the `else` of, with that list of statements and its place there."""


@once
def _suites(file: SemanticModel, root: ast.AST) -> _Suites:
    """The suites of a function or module of a file."""
    suites = ((node, getattr(node, field, None)) for node in nodes_in(root) for field in ("body", "orelse"))
    return {
        statement: (node, suite, number)
        for node, suite in suites
        if isinstance(suite, list)
        for number, statement in enumerate(suite)
    }


def _next_statements(suites: _Suites, statement: ast.stmt, count: int) -> list[ast.stmt]:
    """The statements that run next, outwards through branches and `with`, but not into them and not out of loops."""
    if statement not in suites:
        return []
    owner, suite, number = suites[statement]
    found = suite[number + 1 : number + 1 + count]
    if len(found) < count and isinstance(owner, ast.If | ast.With):
        found = found + _next_statements(suites, owner, count - len(found))
    return found


@once
def _counts_a_mask(file: SemanticModel, statement: ast.stmt) -> bool:
    block = file.outline.block_of.get(statement)
    return block is not None and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and index_sync(file, node, block, statement) is not None
        for node in own_nodes(statement)
    )
