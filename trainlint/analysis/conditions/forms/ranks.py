"""Tests that let code run on some ranks only: `rank == 0`, `is_main_process()`.

They do not make code rare: the job waits for its slowest rank.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import NAMES, constant, dotted, last_name, names_in, nodes_in, position
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.tables.ranks import GLOBAL_RANK_NAME, MAIN_NAME, RANK_NAME
from trainlint.patterns import lazy

_DEEPEST = 3
_RANK_WORDS = lazy(
    r"rank|main|master|leader|chief|primary|_zero|coordinator|logger|writer|gpu|device|proc|worker|node|verbose|global_zero|"
    r"world|distributed|ddp|replica|shard|local",
    re.IGNORECASE,
)
"""What may stand for one rank among several, or tell a run of one process from a distributed one."""
_TELLING = ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Name | ast.Attribute
"""What a flag is assigned that says which rank this is; a number that was computed from ranks says something else."""
_FIRST = frozenset({0})
_OF_FIRST = {ast.Eq: True, ast.NotEq: False, ast.Gt: False}
"""Whether a comparison of the rank with the first one holds there only, or everywhere else."""


def asks_for_rank(test: ast.expr, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether a test depends on the rank of the process, itself or through a flag that was assigned before.

    A flag that a call returned counts by the name of what was called: `save = is_main_process()`.
    """
    parts = nodes_in(test)
    if any(_is_rank(last_name(part)) for part in parts if isinstance(part, (ast.Name, ast.Attribute))):
        return True
    return depth > 0 and _was_assigned_rank(parts, block, depth)


def _was_assigned_rank(parts: list[ast.AST], block: Block, depth: int) -> bool:
    """Whether one of the names in a test was assigned what tells the rank."""
    values = [
        (binding.value, binding.block)
        for name in parts
        if type(name) is ast.Name
        for binding in reaching(name.id, block, position(name))
        if binding.how is How.ASSIGN and not binding.path
    ]
    return any(
        _is_rank(last_name(value.func))
        if isinstance(value, ast.Call)
        else isinstance(value, _TELLING) and asks_for_rank(value, around, depth - 1)
        for value, around in values
    )


def compared(question: Question) -> Condition | None:
    """`rank == 0`, `local_rank in (-1, 0)`."""
    return _of_rank(question)


def called(question: Question) -> Condition | None:
    """`is_main_process()`."""
    return _of_rank(question)


def named(question: Question) -> Condition | None:
    """`accelerator.is_main_process`, and `save_here = rank == 0` before."""
    return _of_rank(question)


def _of_rank(question: Question) -> Condition | None:
    test = question.test
    if not any(map(_is_rank, question.names)):
        asks_for_object = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))
        if asks_for_object or isinstance(test, ast.Call):
            return None  # what is no flag was assigned no rank
        if not _was_assigned_rank(question.nodes, question.block, _DEEPEST):
            return None
    return Condition(ConditionKind.RANK, test.lineno, "on some ranks")


@lru_cache(NAMES)
def _is_rank(name: str) -> bool:
    return bool(RANK_NAME.search(name))


def is_main_only(test: ast.expr, block: Block, depth: int = _DEEPEST) -> bool | None:
    """Whether a test holds in the first process only (True), or in all others only (False); None for other tests.

    `rank == 0`, `not rank`, `is_main_process()`, and `and` of them with anything: strict, for rules that speak of
    processes that wait for each other. `local_rank` is no such test: each machine has a process with number 0.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _negated_is_main_only(operand, block, depth)
        case ast.BoolOp(op=ast.And()):
            found = {is_main_only(part, block, depth) for part in test.values} - {None}
            return found.pop() if len(found) == 1 else None
        case ast.Compare(left=number, ops=[operator], comparators=[other]) if constant(other) in _FIRST:
            return _OF_FIRST.get(type(operator)) if GLOBAL_RANK_NAME.search(last_name(number)) else None
        case ast.Call() if test.args or test.keywords:
            return None
        case ast.Name() | ast.Attribute() | ast.Call() if MAIN_NAME.search(last_name(test)):
            return True
    value = single_value(test, block) if depth else None
    return is_main_only(value, block, depth - 1) if value is not None else None


def _negated_is_main_only(operand: ast.expr, block: Block, depth: int) -> bool | None:
    """The same for `not operand`: `not rank` means the first process, and `not (a and b)` says nothing of either."""
    if isinstance(operand, (ast.Name, ast.Attribute)) and GLOBAL_RANK_NAME.search(last_name(operand)):
        return True
    inner = is_main_only(operand, block, depth)
    return None if inner is None or isinstance(operand, ast.BoolOp) else not inner


def speaks_of_rank(name: str) -> bool:
    """Whether a name may hold the rank, something made of it, or something that only one rank has."""
    return bool(_RANK_WORDS.search(name))


def may_ask_for_rank(test: ast.expr, block: Block, outline: Outline) -> bool:
    """Whether a test may come out differently on different ranks: by a name in it, or by how that got its value.

    Wider than `asks_for_rank`, for rules that may only speak where no test on the way asks for the rank.
    """
    words = [part for part in nodes_in(test) if isinstance(part, (ast.Name, ast.Attribute))]
    if any(dotted(word) == "__name__" for word in words):
        return False  # the entry of a script
    return asks_for_rank(test, block) or any(_may_tell_rank(word, block, outline) for word in words)


def _may_tell_rank(word: ast.Name | ast.Attribute, block: Block, outline: Outline) -> bool:
    if speaks_of_rank(last_name(word)):
        return True
    if isinstance(word, ast.Attribute):
        stored = [place.statement for place in outline.stores.get(word.attr, ())]
        return any(speaks_of_rank(name) for item in stored for name in names_in(getattr(item, "value", None) or item))
    bindings = [item for item in reaching(word.id, block, position(word)) if item.how is How.ASSIGN]
    return any(_stands_on_one_rank(item.block) for item in bindings)


def _stands_on_one_rank(block: Block) -> bool:
    """Whether a test around a block, out to the module, has a name that may hold the rank."""
    guards = guards_around(block, everywhere=True)
    return any(speaks_of_rank(name) for guard in guards for name in names_in(guard.expression))
