"""Code at the end of a module that tries out what the module defines."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.forms.entry_points import names_main
from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.outline import Outline

_TRAINS = frozenset({"backward", "step", "fit", "train", "main", "run"})


def in_smoke_test(outline: Outline, block: Block) -> bool:
    """Whether a block stands below `if __name__ == "__main__":` in a module of classes, and nothing there trains."""
    if not outline.classes or any(outer.kind is BlockKind.FUNCTION for outer in block.outwards()):
        return False
    for guard in guards_around(block, everywhere=True):
        if names_main(guard.expression):
            calls = [item for item in nodes_in(guard.block.node) if isinstance(item, ast.Call)]
            return not any(last_name(item.func) in _TRAINS for item in calls)
    return False
