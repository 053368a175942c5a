"""Steps of schedules of learning rates, and the steps of optimizers around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import BlockKind, Place
from trainlint.contract.guard import guard
from trainlint.finding import LoopKind
from trainlint_rules.optimizer.idioms.optimizers import Act, actions, actions_of, always_runs_before, round_of

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def steps_before(site: Site) -> bool:
    """The optimizer also steps before the schedule in each round."""
    return any(always_runs_before(place, site.place) for place in steps_of_round(site))


def steps_of_round(site: Site) -> list[Place]:
    """The optimizer's steps in the loop or function around a place; else the calls that train for an epoch."""
    steps = [item.place for item in actions_of(actions(site.file, round_of(site.block)), Act.STEP)]
    return steps or list(_epochs(site))


def _epochs(site: Site) -> Iterator[Place]:
    """Calls in the same loop of functions that train for an epoch, in this file."""
    loop = round_of(site.block)
    for place in site.file.outline.calls_by_loop.get(loop, ()):
        call = place.node
        if loop.kind is BlockKind.LOOP and site.file.heats.kind(call) is LoopKind.EPOCH:
            yield place
