"""Whether code runs in each run of a program, or only where somebody chose it: behind an option, a handler, a test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.branches import decides
from trainlint.analysis.conditions.guards import guard_of, known_parts, within_function
from trainlint.analysis.conditions.subjects import Subject, is_about, words_in
from trainlint.analysis.conditions.versions import speaks_of_version
from trainlint.analysis.syntax.blocks import Block
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

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
    if any(decides(outer) and not _asks_for_machine(outer) for outer in within_function(block)):
        return True
    function = file.graph.enclosing(block)
    if function is None or depth >= _DEEPEST or file.heats.trains(function.node):
        return False  # where training itself runs, what leads there only chooses which training
    calls = [edge.place.block for edge in file.graph.callers.get(function, ()) if not edge.passed]
    if not calls:
        return bool(_DEBUGS.search(function.name))
    return all(_is_chosen(file, call, depth + 1) for call in calls)


def _asks_for_machine(block: Block) -> bool:
    """Whether each part of a block's test asks what machine this is, and none what somebody wants."""
    guard = guard_of(block)
    parts = known_parts(guard.expression, guard.outcome) if guard is not None else ()
    words = [list(words_in(part.expression)) for part in parts]
    return bool(words) and all(any(map(_names_machine, each)) for each in words)


def _names_machine(word: str) -> bool:
    return is_about(word, Subject.DEVICE, Subject.RANK) or speaks_of_version(word)
