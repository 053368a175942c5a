"""Gradients that are cleared before an optimizer has used them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.contract.guard import guard
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    Action,
    action_of,
    actions,
    actions_between,
    actions_of,
    always_runs_before,
    round_of,
)

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """What a call that clears gradients takes from the step behind it."""

    cleared: Action
    backward: Action
    step: Action


@guard
def filled_again(site: Site) -> bool:
    """Another backward pass stands between clearing and step, as for the networks of a GAN."""
    dropped = dropped_before_step(site)
    return dropped is not None and bool(actions_between(_backwards(site), dropped.cleared, dropped.step))


def dropped_before_step(site: Site) -> Dropped | None:
    """The step without a closure whose gradients are cleared before it."""
    cleared = action_of(site.file, site.place)
    earlier = [item for item in _backwards(site) if cleared and always_runs_before(item.place, cleared.place)]
    if cleared is None or not earlier:
        return None
    steps = _steps(site, cleared)
    later = (item for item in steps if not item.closure and always_runs_before(cleared.place, item.place))
    step = next(later, None)
    if step is None or actions_between(steps, earlier[-1], cleared):
        return None
    return Dropped(cleared, max(earlier, key=lambda item: item.line), step)


def _backwards(site: Site) -> list[Action]:
    return actions_of(actions(site.file, round_of(site.block)), Act.BACKWARD)


def _steps(site: Site, cleared: Action) -> list[Action]:
    return actions_of(actions(site.file, round_of(site.block)), Act.STEP, cleared.owner)
