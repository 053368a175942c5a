"""A handful of small rules for tests of what is done with rules, whatever they look for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from trainlint.finding import Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.itself.unknown_code_in_ignore import UnknownCodeInIgnore
from trainlint_rules.itself.unreadable_file import UnreadableFile
from trainlint_rules.itself.unused_ignore import UnusedIgnore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainlint.analysis.site import Site
    from trainlint.finding import Finding

PAGE = """A toy

## Why
To be looked at.

## Example
None.

## Use instead
None.

## Confirmed by
A test.

## References
None.
"""


class ToyRule(Rule, base=True):
    """A rule that asks for no place."""

    triggers = Triggers()

    def check(self, site: Site) -> Iterator[Finding]:
        """Find nothing: tests make the findings."""
        yield from ()


class ItemInTrainingStep(ToyRule):
    __doc__ = PAGE
    code = "TRN201"
    name = "item-in-training-step"
    severity = Severity.WARNING
    aliases: ClassVar[tuple[str, ...]] = ("TOR901",)


class HostCopyInTrainingStep(ToyRule):
    __doc__ = PAGE
    code = "TRN202"
    name = "host-copy-in-training-step"
    severity = Severity.WARNING


class EmptyCacheInTrainingLoop(ToyRule):
    __doc__ = PAGE
    code = "TRN301"
    name = "empty-cache-in-training-loop"
    severity = Severity.ADVICE


class CollectInTrainingStep(ToyRule):
    __doc__ = PAGE
    code = "TRN302"
    name = "collect-in-training-step"
    severity = Severity.ADVICE
    preview = True


class SlowAcme(ToyRule):
    __doc__ = PAGE
    code = "ACME001"
    name = "slow-acme"
    severity = Severity.ERROR


RULES: tuple[Rule, ...] = (
    SlowAcme(),
    UnreadableFile(),
    UnusedIgnore(),
    UnknownCodeInIgnore(),
    ItemInTrainingStep(),
    HostCopyInTrainingStep(),
    EmptyCacheInTrainingLoop(),
    CollectInTrainingStep(),
)
"""Sorted by code, as packs hand them over."""
