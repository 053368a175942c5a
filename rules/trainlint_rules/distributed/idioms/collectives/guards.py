"""Guards about collectives."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.analysis.tables.collectives import GATHERING_INTO_ONE
from trainlint.contract.guard import early_guard

_INTO_ONE = (*sorted(GATHERING_INTO_ONE), "all_gather_tensor")


@early_guard
def also_into_one_tensor(site: Site) -> bool:
    """The same function gathers into one tensor elsewhere."""
    return any(other.function is site.function for other in site.calls(*_INTO_ONE))
