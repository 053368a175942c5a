"""Guards about the tests around a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.analysis.conditions.questions import is_on_some_ranks, runs_rarely, runs_where_missing
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site


@guard("a test around it holds in few training steps only (an interval, a first step, a failure)")
def rare(site: Site) -> bool:
    """Whether a condition holds rarely. Rules with `when = EACH_STEP` need not ask: frequency includes it."""
    return runs_rarely(site.conditions)


@guard("it runs rarely, or only where something is missing, so that what it makes is made once")
def made_where_missing(site: Site) -> bool:
    """For rules on what is created."""
    return runs_where_missing(site.conditions)


@guard("a test decides whether it runs")
def conditional(site: Site) -> bool:
    """For what is one of several ways, as the choice of a backend."""
    return bool(site.conditions)


@guard("only some ranks run it")
def on_some_ranks(site: Site) -> bool:
    """For what all ranks must do, or one should."""
    return is_on_some_ranks(site.conditions)
