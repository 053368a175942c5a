"""Clipping between the backward of a scaled loss and the step of the scaler."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.branches import may_run_together
from trainlint.analysis.syntax.names import dotted, position
from trainlint.analysis.tables.clipping import IMPORTED
from trainlint.contract.guard import guard
from trainlint_rules.compute.idioms.grad_scalers import scaled_backwards

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Place

_BY_HAND = frozenset({"get_scale", "master_params"})
"""Traces of gradients that the code scales back by itself, or keeps unscaled beside the others."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledStep:
    """A step of a scaler with gradients that are clipped before it."""

    scaler: str
    """As the code names it."""
    optimizer: ast.expr
    """What the scaler steps."""
    place: Place


@guard
def unscaled_before(site: Site) -> bool:
    """The code already unscales or clips the gradients."""
    names = [name for name in site.file.outline.calls if "unscale" in name.lower() or name in _BY_HAND]
    if any(_runs_with(site, item.place) for item in site.calls(*names)):
        return True
    return any(_runs_before(site, item.place) for item in site.calls(*IMPORTED))


def scaled_step(site: Site) -> ScaledStep | None:
    """The step of the scaler behind a call, where the backward of a loss that it scaled stands before it."""
    scaled = [item for item in scaled_backwards(site.file, site.function) if _runs_before(site, item.place)]
    for step in site.calls("step") if scaled else ():
        func, given = step.call.func, step.call.args
        later = position(step.call) > position(site.call) and _runs_with(site, step.place)
        if later and given and isinstance(func, ast.Attribute) and dotted(func.value) == scaled[-1].scaler:
            return ScaledStep(scaled[-1].scaler, given[0], step.place)
    return None


def _runs_with(site: Site, place: Place) -> bool:
    same = site.file.graph.enclosing(place.block) is site.function
    return same and may_run_together(place.block, site.block)


def _runs_before(site: Site, place: Place) -> bool:
    assert isinstance(place.node, ast.Call)
    return _runs_with(site, place) and position(place.node) < position(site.call)
