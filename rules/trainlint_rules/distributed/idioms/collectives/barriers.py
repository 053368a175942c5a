"""Barriers, and what stands around them."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.finding import LoopKind
from trainlint_rules.distributed.idioms.collectives.seldom_functions import runs_seldom_by_name


def is_barrier(site: Site) -> bool:
    """Whether a statement of its own, or what a function returns, is a barrier: of torch.distributed, or of an
    object that is called an accelerator.
    """
    func, statement = site.call.func, site.statement
    if not isinstance(statement, ast.Expr | ast.Return) or statement.value is not site.call:
        return False
    if isinstance(func, ast.Attribute) and ACCELERATOR.search(last_name(func.value)):
        return True
    found = collective(site.file, site.call, site.block)
    return found is not None and found.name == "barrier"


def reached_in_step(site: Site) -> bool:
    """Whether it stands in a helper, in no loop of its own, that training steps call.

    Not in one that saves or logs: there ranks may have to meet, and it takes long anyway.
    """
    if site.block.innermost_loop() is not None or not site.heat.heat.in_step or not site.hot_calls:
        return False
    return not runs_seldom_by_name.holds(site)


def in_training_loop(site: Site) -> bool:
    """Whether it runs in each iteration of a training loop that is seen in the same function."""
    loop = site.block.innermost_loop()
    if loop is None or not site.heat.heat.in_step:
        return False
    return site.file.heats.kind(loop) in (LoopKind.STEP, LoopKind.MICRO)
