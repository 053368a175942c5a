"""Gradients that are clipped after a step has used them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.contract.guard import guard
from trainlint_rules.optimizer.idioms.optimizers import (
    Act,
    Action,
    actions,
    actions_between,
    actions_of,
    always_runs_before,
    round_of,
)

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def not_cleared(site: Site) -> bool:
    """Gradients are not cleared in the same round, and the next step uses them."""
    return not actions_of(actions(site.file, round_of(site.block)), Act.CLEAR)


@guard
def backward_follows(site: Site) -> bool:
    """Another backward pass follows the step, whose gradients are clipped, too."""
    clip, step = clip_and_step(site) or (None, None)
    backwards = actions_of(actions(site.file, round_of(site.block)), Act.BACKWARD)
    if clip is None or step is None:
        return False
    return bool(actions_between(backwards, step, clip)) or any(item.line > clip.line for item in backwards)


def clip_and_step(site: Site) -> tuple[Action, Action] | None:
    """A clipping and the last step before it, which surely used the gradients, where no step follows."""
    found = actions(site.file, round_of(site.block))
    clip = next((item for item in found if item.call is site.node), None)
    steps, backwards = actions_of(found, Act.STEP), actions_of(found, Act.BACKWARD)
    if clip is None or not steps or not all(always_runs_before(item.place, clip.place) for item in steps):
        return None
    used = any(always_runs_before(item.place, steps[-1].place) for item in backwards)
    return (clip, steps[-1]) if used else None
