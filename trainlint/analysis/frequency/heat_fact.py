"""How hot a place is, how sure that is, and why."""

from __future__ import annotations

from trainlint.finding import Heat
from trainlint.records import dataclass

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


@dataclass(frozen=True, slots=True)
class HeatFact:
    """How hot a place is, how sure that is, and why, outermost first."""

    heat: Heat
    confidence: float
    chain: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[int, float]:
        """Facts sort by heat, then by how sure they are. Calls lower confidence, so raising heats comes to an end."""
        return RANK[self.heat], self.confidence

    @property
    def preference(self) -> tuple[tuple[int, float], int, tuple[str, ...]]:
        """The same for choosing one of several facts: of equal ones that with the shortest chain, in any order."""
        return self.order, -len(self.chain), self.chain


UNKNOWN_HEAT = HeatFact(Heat.UNKNOWN, 1.0)
