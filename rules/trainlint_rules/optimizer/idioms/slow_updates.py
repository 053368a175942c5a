"""Loops that update parameters one by one: how sure it is that they cost, and who has another way already."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.interval_lengths import interval_length
from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.effects.parameter_loops import ParameterLoop, parameter_loop
from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.host_reads import CPU, ITEM
from trainlint.analysis.tables.optimizers import STEPPED_NAME
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy
from trainlint_rules.optimizer.idioms.optimizer_classes import defines_optimizer, in_optimizer_class
from trainlint_rules.optimizer.idioms.parameter_updates import ParameterUpdate, Update, update_of

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Function

_AVERAGES = lazy(r"ema|moving|average|polyak|soft_?update|momentum|target", re.IGNORECASE)
"""Functions that a training loop calls once in each step, even where the loop is not in sight."""
_LONGEST_INTERVAL = 4
"""What runs more seldom than each so many steps costs little."""
_MANY_KERNELS = 3
"""From this many operations for each parameter on, an optimizer of one's own is reported."""
_GATHERS = frozenset({"GatheredParameters", "summon_full_params", "full_tensor", "redistribute"})
_MOVES = frozenset({*MOVES, CPU.name})
_PARTS = frozenset({"children", "modules"})


@guard
def has_foreach_way(site: Site) -> bool:
    """The function or its class also uses, or checks for, `_foreach_` functions."""
    function = site.function
    owner = function.owner if function is not None else None
    roots = [item.node for item in (function, owner) if item is not None]
    parts = (part for root in roots for part in nodes_in(root) if isinstance(part, ast.Attribute))
    return any(part.attr.startswith("_foreach_") for part in parts) or asks_about(site.block, Subject.FOREACH)


@guard
def seldom_enough(site: Site) -> bool:
    """It runs every five steps or less often, or trainlint cannot tell how often."""
    steps = interval_length(site.conditions)
    return steps is None or steps > _LONGEST_INTERVAL


@guard
def of_unknown_frequency(site: Site) -> bool:
    """Trainlint cannot tell how often it runs, and it is in no optimizer `step` and no averaging function."""
    if site.heat.heat is not Heat.UNKNOWN:
        return False
    loop = loop_at(site)
    update = update_of(loop) if loop is not None else None
    if update is None or site.function is None:
        return True
    if update.update in (Update.DESCENT, Update.DECAY) and site.function.name == "step":
        return not (in_optimizer_class.holds(site) or _steps_another(site.function))
    return update.update is not Update.AVERAGE or not _AVERAGES.search(site.function.qualified_name)


@guard
def read_on_the_host(site: Site) -> bool:
    """Each norm is read on the host (TRN201)."""
    loop = loop_at(site)
    update = update_of(loop) if loop is not None else None
    if loop is None or update is None or update.update is not Update.NORM:
        return False
    return not _called(loop).isdisjoint({ITEM.name, "float"})


def loop_at(site: Site) -> ParameterLoop | None:
    """The loop over parameters whose iterated expression a place is."""
    for block in site.file.outline.loop_blocks.values():
        if getattr(block.node, "iter", None) is site.node:
            return parameter_loop(site.file.outline, block, by_name=True)
    return None


def sure_to_cost(site: Site, loop: ParameterLoop, update: ParameterUpdate) -> Confidence:
    """How sure it is that nothing but habit speaks for a loop.

    Lists do not help where each parameter is gathered from other processes or moved between devices. An optimizer
    with few operations for each parameter is not rewritten for them. One layer has too few parameters to cost much.
    """
    if _called(loop) & (_GATHERS | _MOVES) or _is_of_one_part(loop):
        return Confidence.POSSIBLE
    if in_optimizer_class.holds(site):
        return Confidence.LIKELY if update.kernels >= _MANY_KERNELS else Confidence.POSSIBLE
    if loop.by_name and defines_optimizer(site) and update.update is Update.DESCENT:
        return Confidence.POSSIBLE
    unsure = loop.by_name or update.out_of_sight or site.heat.heat is Heat.UNKNOWN
    return Confidence.LIKELY if unsure else Confidence.CERTAIN


def _is_of_one_part(loop: ParameterLoop) -> bool:
    """Whether the parameters are those of one of a module's parts, such as `list(net.children())[-1]`."""
    block = loop.block.parent or loop.block
    match loop.iterated:
        case ast.Call(func=ast.Attribute(value=module)):
            part = single_value(module, block) or module
        case _:
            return False
    if not isinstance(part, ast.Subscript) or not isinstance(constant(part.slice), int):
        return False
    parts = single_value(part.value, block) or part.value
    return any(isinstance(item, ast.Call) and last_name(item.func) in _PARTS for item in nodes_in(parts))


def _called(loop: ParameterLoop) -> frozenset[str]:
    """The last names of what is called for each parameter."""
    return frozenset(
        last_name(part.func) for item in loop.body for part in nodes_in(item) if isinstance(part, ast.Call)
    )


def _steps_another(function: Function) -> bool:
    """Whether a method also steps an optimizer that it holds: a wrapper of an optimizer."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == "step"
        and STEPPED_NAME.search(last_name(part.func.value)) is not None
        for part in nodes_in(function.node)
    )
