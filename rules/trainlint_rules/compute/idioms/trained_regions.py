"""The blocks under an autocast context through which a backward goes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.types.backward import held_by
from trainlint_rules.compute.idioms.precision import regions

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block


def trained_regions(file: SemanticModel, call: ast.Call) -> list[Block]:
    """The bodies of `with` statements whose context a call makes, where a backward goes through what they assign."""
    return [region for region in regions(file, call) if _is_trained(file, region)]


def _is_trained(file: SemanticModel, region: Block) -> bool:
    flow = file.backwards(region)
    for statement, block in file.outline.block_of.items():
        if isinstance(statement, ast.Assign) and block.within(region) and not file.gradients.off(block):
            if any(flow.goes_through(name) for target in statement.targets for name in held_by(target)):
                return True
    return False
