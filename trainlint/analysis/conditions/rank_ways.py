"""Whether all ranks of a distributed run come to a place: asked of the tests on the way from a module's top level."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.conditions.forms.ranks import is_main_only, may_ask_for_rank, speaks_of_rank
from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.conditions.subjects import Subject, is_test_about
from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.analysis.syntax.names import names_in

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


def all_ranks_come_here(file: SemanticModel, block: Block) -> bool:
    """Whether some way from the top level of the file leads to a block on which no test may ask for the rank.

    Only ways inside the file count: a function that only other files call may be called by one rank.
    """
    return _is_reached_by_all_ranks(file, block, set())


def _is_reached_by_all_ranks(file: SemanticModel, block: Block, seen: set[Function]) -> bool:
    if _has_rank_test(file, block):
        return False
    function = file.outline.enclosing(block)
    if function is None:
        return True
    if function in seen or any(speaks_of_rank(name) for item in function.decorators for name in names_in(item)):
        return False
    seen.add(function)
    return any(_is_reached_by_all_ranks(file, edge.place.block, seen) for edge in file.graph.callers.get(function, ()))


def _has_rank_test(file: SemanticModel, block: Block) -> bool:
    """Whether a test around a block, inside its function, may ask for the rank."""
    return any(may_ask_for_rank(guard.expression, guard.place, file.outline) for guard in guards_around(block))


class MainOnly(NamedTuple):
    """A test that the first process passes alone, or all others without it."""

    block: Block
    """The code behind it."""
    words: str
    """The test as it must come out: "rank == 0", "not is_main"."""
    line: int


def main_only(block: Block) -> MainOnly | None:
    """The test in its function behind which the first process runs a block alone, or all others without it.

    None where that test also asks how many processes there are: one process waits for nobody.
    """
    for guard in guards_around(block):
        test = guard.expression
        if guard.block.parent is None or is_main_only(test, guard.block.parent) is None:
            continue
        if isinstance(test, ast.BoolOp) and not guard.outcome:
            return None  # `a and b` that is not taken says nothing of either
        if is_test_about(test, Subject.JOB_SIZE):
            return None
        return MainOnly(guard.block, f"{'' if guard.outcome else 'not '}{ast.unparse(test)}", test.lineno)
    return None
