"""Saves of a model's state in a training loop, and how many steps lie between two of them."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.interval_lengths import interval_length
from trainlint.analysis.conditions.questions import runs_rarely
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Kind
from trainlint.contract.guard import guard

_OFTEN = 100
"""Up to so many steps between two checkpoints are too few."""
_FOLLOWED = 2
_BUFFERS = frozenset({"BytesIO", "buffer"})


def saves_state_in_step(site: Site) -> bool:
    """Whether a call of `torch.save` saves the state of a model, in a loop over training steps."""
    saved, loop = argument(site.call, "obj", 0), site.block.innermost_loop()
    if saved is None or loop is None or site.file.loops.kind(loop) is not LoopKind.STEP:
        return False
    return _holds_state(site.file, saved, site.block, _FOLLOWED)


def steps_between(site: Site) -> int | None:
    """How many steps lie between two saves; None where the file does not tell."""
    return interval_length(_conditions(site))


@guard
def to_buffer(site: Site) -> bool:
    """It writes to a buffer in memory."""
    path = argument(site.call, "f", 1)
    return path is None or last_name(path) in _BUFFERS


@guard
def seldom(site: Site) -> bool:
    """More than 100 steps lie between two saves, or trainlint cannot tell how many."""
    steps = steps_between(site)
    return steps is None or not 1 <= steps <= _OFTEN


@guard
def behind_rare_test(site: Site) -> bool:
    """It runs only in few steps, such as at the best score or the last step."""
    return runs_rarely(item for item in _conditions(site) if item.kind is not ConditionKind.INTERVAL)


def _conditions(site: Site) -> tuple[Condition, ...]:
    loop = site.block.innermost_loop()
    return site.file.conditions.around(site.block, loop) if loop is not None else ()


def _holds_state(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    """Whether what is saved holds the state of a model: `state_dict()`, or the module itself."""
    for part in nodes_in(node):
        if isinstance(part, ast.Call) and last_name(part.func) == "state_dict":
            return True
        if isinstance(part, ast.Name) and depth:
            if file.kinds.of(part, block).kind is Kind.MODULE and part is node:
                return True
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and isinstance(binding.value, ast.Dict | ast.Call):
                    if _holds_state(file, binding.value, binding.block, depth - 1):
                        return True
    return False
