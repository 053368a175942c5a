"""Guards about the tests around a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def decided_by_version(site: Site) -> bool:
    """A version check decides whether it runs."""
    return depends_on_version(site.block)
