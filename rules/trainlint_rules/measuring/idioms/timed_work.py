"""What a read of the clock times, and reasons why the time is right or is that of another rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.conditions.values.without_cuda import runs_without_cuda
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.types.values import Home
from trainlint.contract.guard import early_guard, guard
from trainlint_rules.measuring.idioms.timing import Interval, timed_interval

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def interval(site: Site) -> Interval | None:
    """The device work that a read of the clock ends."""
    return timed_interval(site.file, site.call, site.place)


@early_guard
def names_no_device(site: Site) -> bool:
    """The code names no GPU."""
    return site.file.device is not Home.DEVICE


@early_guard
def on_cpu(site: Site) -> bool:
    """It runs only where a check found no GPU."""
    function = site.function
    if runs_without_cuda(site.file, site.block):
        return True
    if function is None or function.owner is not None:
        return False
    block_of = site.file.outline.block_of
    uses = [block_of[statement] for _, statement in loads(site.file.tree, function.name) if statement in block_of]
    return bool(uses) and all(runs_without_cuda(site.file, block) for block in uses)


@guard
def waited_for(site: Site) -> bool:
    """Code between the last launch and the clock waits, or may wait, for the GPU."""
    found = interval(site)
    return found is not None and found.is_waited_for


@guard
def becomes_rate(site: Site) -> bool:
    """Something is divided by the duration."""
    found = interval(site)
    return found is not None and found.divides
