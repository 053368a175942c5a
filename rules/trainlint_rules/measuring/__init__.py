"""Rules on the topic measuring: numbers that mean what they say."""

from __future__ import annotations

from trainlint.contract.bases import CallRule
from trainlint.finding import Confidence
from trainlint_rules.measuring.idioms.timed_work import names_no_device
from trainlint_rules.measuring.idioms.timing import CLOCKS

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone
    from typing import ClassVar

    from trainlint.contract.guard import Guard


class ClockRule(CallRule, base=True):
    """About reads of the host's clock in code for a GPU."""

    in_tests = True
    on = tuple(sorted(CLOCKS))
    sure = Confidence.LIKELY
    unless: ClassVar[tuple[Guard, ...]] = (names_no_device,)
