"""Loops that update parameters one by one: how sure it is that they cost, and who has another way already."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.interval_lengths import interval_length
from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.effects.parameter_loops import ParameterLoop, parameter_loop
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.contract.guard import guard
from trainlint.finding import Confidence, Heat
from trainlint.patterns import lazy
from trainlint_rules.optimizer.idioms.optimizer_classes import defines_optimizer, in_optimizer_class
from trainlint_rules.optimizer.idioms.parameter_updates import Update, update_of

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_AVERAGES = lazy(r"ema|moving|average|polyak|soft_?update|momentum|target", re.IGNORECASE)
"""Functions that a training loop calls once in each step, even where the loop is not in sight."""
_LONGEST_INTERVAL = 4
"""What runs more seldom than each so many steps costs little."""
_GATHERS = frozenset({"GatheredParameters", "summon_full_params", "full_tensor", "redistribute"})
_MOVES = frozenset({"to", "cpu", "cuda"})


@guard
def has_foreach_way(site: Site) -> bool:
    """The function or its class also uses `_foreach_` functions, or a test asks for them."""
    function = site.function
    owner = function.owner if function is not None else None
    roots = [item.node for item in (function, owner) if item is not None]
    parts = (part for root in roots for part in nodes_in(root) if isinstance(part, ast.Attribute))
    return any(part.attr.startswith("_foreach_") for part in parts) or asks_about(site.block, Subject.FOREACH)


@guard
def seldom_enough(site: Site) -> bool:
    """It runs behind an interval of more than four steps, or of an unknown number."""
    steps = interval_length(site.conditions)
    return steps is None or steps > _LONGEST_INTERVAL


@guard
def unknown_and_no_average(site: Site) -> bool:
    """It runs at an unknown frequency, and is no moving average by its arithmetic and its name."""
    if site.heat.heat is not Heat.UNKNOWN:
        return False
    loop = parameter_loop(site.file.outline, site.file.outline.loop_blocks[site.statement], by_name=True)
    update = update_of(loop) if loop is not None else None
    averages = update is not None and update.update is Update.AVERAGE
    return not averages or site.function is None or not _AVERAGES.search(site.function.qualified_name)


def sure_to_cost(site: Site, loop: ParameterLoop) -> Confidence:
    """How sure it is that nothing but habit speaks for a loop.

    Nobody rewrites the algorithm of an optimizer in passing. Where each parameter is gathered from other processes
    or moved between devices, lists of all of them do not help.
    """
    called = {last_name(part.func) for part in nodes_in(loop.block.node) if isinstance(part, ast.Call)}
    if in_optimizer_class.holds(site) or called & (_GATHERS | _MOVES) or (loop.by_name and defines_optimizer(site)):
        return Confidence.POSSIBLE
    return Confidence.LIKELY if loop.by_name or site.heat.heat is Heat.UNKNOWN else Confidence.CERTAIN
