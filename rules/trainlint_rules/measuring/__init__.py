"""Rules on the topic measuring: numbers that mean what they say."""

from __future__ import annotations

from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.tables.waits.clocks import CLOCKS
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.measuring.idioms.timed_work import interval, names_no_device, on_cpu

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone
    from typing import ClassVar

    from trainlint.analysis.site import Site
    from trainlint.contract.guard import Guard


class ClockRule(CallRule, base=True):
    """About reads of the host's clock in code for a GPU."""

    in_tests = True
    on = tuple(sorted(CLOCKS))
    sure = Confidence.LIKELY
    unless: ClassVar[tuple[Guard, ...]] = (names_no_device, on_cpu)


class TimedWorkRule(ClockRule, base=True):
    """About intervals of the clock that hold work for the GPU."""

    def found(self, site: Site) -> Match | None:
        """A read of the clock that ends an interval with work for the GPU."""
        timed = interval(site)
        if timed is None:
            return None
        work = dotted(timed.work.func) or "the last call"
        return Match(site, fields={"work": work, "line": timed.work.lineno})
