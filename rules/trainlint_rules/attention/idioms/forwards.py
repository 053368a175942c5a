"""Guards about forward passes and gradients."""

from __future__ import annotations

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint.finding import Heat


@guard
def outside_forward(site: Site) -> bool:
    """It stands outside of forward passes."""
    return not computes(site.file, site.block)


@guard
def evaluates(site: Site) -> bool:
    """It runs in evaluation, or in workers that load data."""
    return site.heat.heat in (Heat.EVAL_STEP, Heat.WORKER)
