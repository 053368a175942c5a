"""Collective calls that only some ranks reach."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.questions import is_on_some_ranks
from trainlint.analysis.conditions.rank_ways import main_only
from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.programs.fact_names import ACCELERATOR
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.tables.collectives import COLLECTIVES, OF_ACCELERATE
from trainlint.contract.guard import guard


def is_collective(site: Site) -> bool:
    """Whether all ranks take part in a call: of torch.distributed, or of an Accelerator."""
    match site.call.func:
        case ast.Attribute(value=owner, attr=name) if name in OF_ACCELERATE and ACCELERATOR.search(last_name(owner)):
            return True
    return collective(site.file, site.call, site.block) is not None


@guard
def has_group(site: Site) -> bool:
    """The call names a process group, which may hold only these ranks."""
    found = collective(site.file, site.call, site.block)
    return found is not None and found.group is not None


@guard
def has_counterpart(site: Site) -> bool:
    """Other ranks make a collective call in another branch of the same function."""
    behind = main_only(site.block)
    return behind is not None and any(
        other.function is site.function and not other.block.within(behind.block) and is_on_some_ranks(other.conditions)
        for other in site.calls(*COLLECTIVES, *OF_ACCELERATE)
    )
