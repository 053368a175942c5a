"""How hot a place is, how sure that is, and why."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from trainlint.analysis.conditions.condition import CONFIDENCE_BEHIND_UNKNOWN
from trainlint.finding import Heat

RANK = {
    Heat.INNER: 7,
    Heat.STEP: 6,
    Heat.WORKER: 5,
    Heat.EVAL_STEP: 4,
    Heat.EPOCH: 3,
    Heat.RARE: 2,
    Heat.ONCE: 1,
    Heat.UNKNOWN: 0,
}

Order: TypeAlias = tuple[int, bool, float, bool]


class HeatFact(NamedTuple):
    """How hot a place is, how sure that is, and why, outermost first."""

    heat: Heat
    confidence: float
    chain: tuple[str, ...] = ()
    behind_unknown: bool = False
    """Whether a test stands on the way here of which nothing says how often it holds."""
    optional: bool = False
    """Whether an option, which has another value by default, is needed on the way here."""

    @property
    def order(self) -> Order:
        """Facts sort by heat, then by how sure they are. Calls lower confidence, so raising heats comes to an end."""
        return self.order_if(self.confidence)

    def order_if(self, confidence: float) -> Order:
        """The order that the fact would have if it were as sure as that."""
        return RANK[self.heat], not self.optional, confidence, not self.behind_unknown

    @property
    def capped(self) -> HeatFact:
        """The same fact, no surer than a place behind an unknown test can be."""
        if not self.behind_unknown or self.confidence <= CONFIDENCE_BEHIND_UNKNOWN:
            return self
        return self._replace(confidence=CONFIDENCE_BEHIND_UNKNOWN)

    @property
    def preference(self) -> tuple[Order, int, tuple[str, ...]]:
        """The same for choosing one of several facts: of equal ones that with the shortest chain, in any order."""
        return self.order, -len(self.chain), self.chain


UNKNOWN_HEAT = HeatFact(Heat.UNKNOWN, 1.0)
