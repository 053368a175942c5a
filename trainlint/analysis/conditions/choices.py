"""Whether code runs in each run of a program, or only where somebody chose it: behind an option, a handler, a test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.syntax.blocks import Block
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_NO_CHOICE = frozenset({ConditionKind.RANK, ConditionKind.HARDWARE, ConditionKind.VERSION})
"""Tests that ask what machine this is, not what somebody wants."""
_DEBUGS = lazy(r"debug|determinis|reproduc|anomal", re.IGNORECASE)
"""Functions that somebody calls because he wants just this."""
_DEEPEST = 5


def is_chosen(file: SemanticModel, block: Block) -> bool:
    """Whether a block runs only where somebody chose it: a test other than one of the machine stands before it.

    In its function, or in front of each call of that function in the file; a function that is called after what it
    switches on, and that the file itself does not call, is a choice, too.
    """
    return _is_chosen(file, block, 0)


def _is_chosen(file: SemanticModel, block: Block, depth: int) -> bool:
    if any(condition.kind not in _NO_CHOICE for condition in file.conditions.around(block)):
        return True
    function = file.graph.enclosing(block)
    if function is None or depth >= _DEEPEST or file.heats.trains(function.node):
        return False  # where training itself runs, what leads there only chooses which training
    calls = [edge.place.block for edge in file.graph.callers.get(function, ()) if not edge.passed]
    if not calls:
        return bool(_DEBUGS.search(function.name))
    return all(_is_chosen(file, call, depth + 1) for call in calls)
