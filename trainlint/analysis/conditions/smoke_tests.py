"""Code at the end of a module that tries out what the module defines."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.iterables import counts_rounds

_TRAINS = frozenset({"backward", "step", "fit", "train", "main", "run"})
_DRAWS = frozenset({"rand", "randn", "randint"})
_READS_DATA = frozenset({"next", "open", "load_dataset", "parse_args", "make", "reset", "sample"})
"""Calls by which a program gets data or options."""


def in_smoke_test(outline: Outline, block: Block) -> bool:
    """Whether a block stands below `if __name__ == "__main__":` in a module of classes, and trains on no data there."""
    if not outline.classes or any(outer.kind is BlockKind.FUNCTION for outer in block.outwards()):
        return False
    for guard in guards_around(block, everywhere=True):
        if any(isinstance(item, ast.Name) and item.id == "__name__" for item in nodes_in(guard.expression)):
            nodes = list(nodes_in(guard.block.node))
            names = {last_name(item.func) for item in nodes if isinstance(item, ast.Call)}
            return _TRAINS.isdisjoint(names) or _trains_on_noise(nodes, names)
    return False


def _trains_on_noise(nodes: list[ast.AST], names: set[str]) -> bool:
    """Whether all loops only count, and draw at random what the model is given: a trial of memory or speed."""
    loops = [item for item in nodes if isinstance(item, ast.For | ast.While)]
    return (
        not _DRAWS.isdisjoint(names)
        and _READS_DATA.isdisjoint(names)
        and bool(loops)
        and all(isinstance(loop, ast.For) and _counts(loop.iter) for loop in loops)
    )


def _counts(iterated: ast.expr) -> bool:
    return isinstance(iterated, ast.Call) and counts_rounds(last_name(iterated.func))
