"""Guards about the precision in which a network trains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import guard
from trainlint.contract.guards.programs import uses

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

trains_in_16_bits = uses("training uses 16 bits", FactKind.AUTOCAST, FactKind.HALF_WEIGHTS, FactKind.GRAD_SCALER)
_uses_half = uses("the type of the forward is one of 16 bits", FactKind.AUTOCAST, FactKind.HALF_WEIGHTS)


@guard
def trains_in_float32(site: Site) -> bool:
    """Training is in float32, where the gain is uncertain."""
    return not _uses_half.holds(site)


@guard
def holds_other_layers(site: Site) -> bool:
    """The network holds attention or convolutions in three dimensions."""
    used = site.file.used_around(site.block, beside=True)
    return any(item.fact.kind is FactKind.NETWORK and item.fact.detail != "conv2d" for item in used)
