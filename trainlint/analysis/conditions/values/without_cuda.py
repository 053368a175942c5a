"""Whether code runs only where there is no CUDA device, by the tests around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.conditions.guards import guard_of
from trainlint.analysis.conditions.values.value_tests import rules_cuda_out
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.memo import once

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


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
        found = found or (guard is not None and rules_cuda_out(guard))
        known[inner] = found
    return found


@once
def _cached_answers(file: SemanticModel) -> dict[Block, bool]:
    """Whether a block runs only without CUDA, for each of which that was asked, and for those around it."""
    return {}
