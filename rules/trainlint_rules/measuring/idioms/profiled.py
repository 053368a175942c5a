"""Which training a profiler records: the loop under its `with`, and whether it ends soon by itself."""

from __future__ import annotations

import ast

from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.iterables import counts_rounds, shortens

_FEW = 100
"""A literal number of rounds up to this is a sample of training, not all of it."""


def recorded_loop(site: Site) -> Block | None:
    """The training loop in the body of the `with` that a call opens, if it runs for long; None where it does not.

    Long is what has no bound in sight: no literal number of rounds, no `break`, no `return` and no slice of the data.
    Tests and benchmarks record what they are there to record.
    """
    statement = site.statement
    if is_test_path(site.path):
        return None
    if not isinstance(statement, ast.With) or all(item.context_expr is not site.node for item in statement.items):
        return None
    loops = sorted(site.file.outline.loop_blocks.items(), key=lambda found: getattr(found[0], "lineno", 0))
    inside = [block for _, block in loops if any(_is_body_of(around, statement) for around in block.outwards())]
    training = [block for block in inside if site.file.loops.kind(block) in (LoopKind.STEP, LoopKind.EPOCH)]
    if not training or any(_is_bounded(block) for block in inside) or _is_bounded_around(site.block):
        return None
    return training[0]


def _is_body_of(block: Block, statement: ast.With) -> bool:
    return block.kind is BlockKind.WITH and block.node is statement


def _is_bounded_around(block: Block) -> bool:
    return any(around.kind is BlockKind.LOOP and _is_bounded(around) for around in block.outwards())


def _is_bounded(block: Block) -> bool:
    loop = block.node
    if not isinstance(loop, ast.For | ast.AsyncFor | ast.While):
        return False
    if any(isinstance(node, ast.Break | ast.Return) for node in nodes_in(loop)):
        return True
    if isinstance(loop, ast.While):
        return False
    if any(isinstance(node, ast.Call) and shortens(last_name(node.func)) for node in nodes_in(loop.iter)):
        return True
    if isinstance(loop.iter, ast.Call) and counts_rounds(last_name(loop.iter.func)) and loop.iter.args:
        limit = loop.iter.args[0 if len(loop.iter.args) == 1 else 1]
        rounds = constant(single_value(limit, block) or limit)
        return isinstance(rounds, int) and rounds <= _FEW
    return False


def is_switched(file: SemanticModel, call: ast.Call, block: Block, keyword: str) -> bool:
    """Whether the user has a say in it: a switch among the arguments, or a test around it."""
    given = [item.value for item in call.keywords if item.arg == keyword] + call.args[:1]
    if any(constant(value) is not True for value in given):
        return True
    return bool(file.conditions.around(block, early_exits=False))
