"""How often `torch.compile` itself is called, and where what it returns is kept."""

from __future__ import annotations

from trainlint.analysis.conditions.branches import follows_early_exit
from trainlint.analysis.effects.forward import computes
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.site import Site
from trainlint.contract.guard import guard
from trainlint.finding import Heat

_CACHES = ("cache", "lru_cache", "cached_property")
_RATHER_THAN_NOT = 0.5
"""How sure the analysis must be that code runs in each step."""


@guard
def behind_early_return(site: Site) -> bool:
    """An early return stands before it, for what is compiled already."""
    return follows_early_exit(site.block)


@guard
def cached(site: Site) -> bool:
    """A decorator keeps what the function returns (`functools.cache`)."""
    function = site.function
    return function is not None and any(function.is_decorated(name) for name in _CACHES)


def repeated(site: Site) -> str:
    """What a place runs in each of: "training step", "forward pass" or "epoch"; empty where it runs seldom."""
    heat = site.heat
    if heat.heat.in_step and heat.confidence > _RATHER_THAN_NOT:
        return "training step"
    if heat.heat is Heat.EPOCH and _in_loop_over_epochs(site):
        return "epoch"
    return "forward pass" if heat.heat is Heat.UNKNOWN and computes(site.file, site.block) else ""


def _in_loop_over_epochs(site: Site) -> bool:
    """Whether the loop stands around the call itself: what is called once an epoch costs nothing to speak of."""
    loops = site.block.loops()
    return bool(loops) and site.file.loops.kind(loops[0]) is LoopKind.EPOCH
