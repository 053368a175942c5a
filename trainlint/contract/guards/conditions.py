"""Guards about the tests around a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.conditions.alternatives import depends_on_version
from trainlint.analysis.conditions.condition import ConditionKind
from trainlint.analysis.conditions.questions import is_on_some_ranks, runs_where_missing
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard
def made_where_missing(site: Site) -> bool:
    """It runs rarely, or only to create what is missing."""
    left_to_calls = site.heat.heat.in_step  # the calls from the training step leave the parameter out
    return runs_where_missing(
        condition
        for condition in site.conditions
        if not (left_to_calls and condition.kind is ConditionKind.PARAMETER and not condition.rare)
    )


@guard
def decided_by_version(site: Site) -> bool:
    """A version check decides whether it runs."""
    return depends_on_version(site.block)


@guard
def conditional(site: Site) -> bool:
    """A check decides whether it runs."""
    return bool(site.conditions)


@guard
def on_some_ranks(site: Site) -> bool:
    """Only some ranks run it."""
    return is_on_some_ranks(site.conditions)
