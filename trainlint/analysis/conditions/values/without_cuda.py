"""Whether code runs only where there is no CUDA device, by the tests around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.guards import BranchTest, guard_of
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_OTHERS = frozenset({"mps", "xla", "cpu"})
"""Devices that stand for another machine where a test asks for them."""


def runs_without_cuda(file: SemanticModel, block: Block) -> bool:
    """Whether a block runs only without CUDA: in the `else` of a test for it, or behind a test for something else."""
    known = _cached_answers(file)
    asked: list[Block] = []
    current: Block | None = block
    while current is not None and current not in known:
        asked.append(current)
        current = current.parent
    found = current is not None and known[current]
    for inner in reversed(asked):
        guard = guard_of(inner)
        found = found or (guard is not None and _rules_cuda_out(guard))
        known[inner] = found
    return found


@once
def _cached_answers(file: SemanticModel) -> dict[Block, bool]:
    """Whether a block runs only without CUDA, for each of which that was asked, and for those around it."""
    return {}


def _comparison(guard: BranchTest) -> ast.expr:
    """A test, or the comparison that its name was assigned: `is_mps = x.device.type == "mps"`."""
    value = single_value(guard.expression, guard.place)
    return value if isinstance(value, ast.Compare) else guard.expression


def _rules_cuda_out(guard: BranchTest) -> bool:
    parts = list(nodes_in(_comparison(guard)))
    words = {item.value for item in parts if isinstance(item, ast.Constant)}
    names = {last_name(item) for item in parts if isinstance(item, (ast.Name, ast.Attribute))}
    if not guard.outcome:
        return "cuda" in words or "is_cuda" in names
    return bool(_OTHERS & (words | names))
