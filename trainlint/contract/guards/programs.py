"""Guards about what the project uses on the way into a place and out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import Guard, guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


def uses(sentence: str, *kinds: FactKind) -> Guard:
    """A guard: something of these kinds is used."""

    def holds(site: Site) -> bool:
        return any(use.kind in kinds for use in site.file.used_around)

    return Guard(sentence, holds)


@guard
def out_of_sight(site: Site) -> bool:
    """Trainlint does not see every call on the way into the loop."""
    return not site.heat.in_sight


owned_by_framework = uses("a framework runs the loop", FactKind.FRAMEWORK)
