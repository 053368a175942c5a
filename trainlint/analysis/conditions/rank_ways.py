"""Whether all ranks of a distributed run come to a place: asked of the tests on the way from a module's top level."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.around import BranchTest, guards_around, names_in_tests
from trainlint.analysis.conditions.forms.ranks import asks_for_rank, is_main_only
from trainlint.analysis.syntax.blocks import Block, Function, How
from trainlint.analysis.syntax.names import dotted, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_RANK_WORDS = lazy(
    r"rank|main|master|leader|chief|primary|_zero|coordinator|logger|writer|gpu|device|proc|worker|node|verbose|global_zero|"
    r"world|distributed|ddp|replica|shard|local",
    re.IGNORECASE,
)
"""What may stand for one rank among several, or tell a run of one process from a distributed one."""


def speaks_of_rank(name: str) -> bool:
    """Whether a name may hold the rank, something made of it, or something that only one rank has."""
    return bool(_RANK_WORDS.search(name))


def all_ranks_come_here(file: SemanticModel, block: Block) -> bool:
    """Whether some way from the top level of the file leads to a block on which no test may ask for the rank.

    Only ways inside the file count: a function that only other files call may be called by one rank.
    """
    return _comes(file, block, set())


def _comes(file: SemanticModel, block: Block, seen: set[Function]) -> bool:
    if _asks(file, block):
        return False
    function = file.outline.enclosing(block)
    if function is None:
        return True
    if function in seen or any(speaks_of_rank(name) for item in function.decorators for name in names_in(item)):
        return False
    seen.add(function)
    return any(_comes(file, edge.place.block, seen) for edge in file.graph.callers.get(function, ()))


def _asks(file: SemanticModel, block: Block) -> bool:
    """Whether a test around a block, inside its function, may ask for the rank."""
    for guard in guards_around(block):
        around = guard.block.parent or guard.block
        words = [part for part in nodes_in(guard.expression) if isinstance(part, ast.Name | ast.Attribute)]
        if any(dotted(word) == "__name__" for word in words):
            continue  # the entry of a script
        if asks_for_rank(guard.expression, around) or any(_tells(file, word, around) for word in words):
            return True
    return False


def _tells(file: SemanticModel, word: ast.Name | ast.Attribute, block: Block) -> bool:
    """Whether a name in a test may tell ranks apart, by itself or by how it got its value."""
    if speaks_of_rank(last_name(word)):
        return True
    if isinstance(word, ast.Attribute):
        stored = [place.statement for place in file.outline.stores.get(word.attr, ())]
        return any(speaks_of_rank(name) for item in stored for name in names_in(getattr(item, "value", None) or item))
    bindings = [item for item in reaching(word.id, block, position(word)) if item.how is How.ASSIGN]
    return any(_stands_on_one_rank(item.block) for item in bindings)


def _stands_on_one_rank(block: Block) -> bool:
    return any(speaks_of_rank(name) for name in names_in_tests(block))


def main_only_guard(block: Block) -> BranchTest | None:
    """The test in its function behind which the first process runs a block alone, or all others without it."""
    for guard in guards_around(block):
        around = guard.block.parent
        if around is not None and is_main_only(guard.expression, around) is not None:
            # `a and b` that is not taken says nothing of either.
            return guard if guard.outcome or not isinstance(guard.expression, ast.BoolOp) else None
    return None
