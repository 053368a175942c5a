"""What may be asked of a rule that need not be imported yet.

A rule's class, the rule itself and its entry in the catalogue answer alike. Only type checkers read this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.finding import Finding, Safety, Severity
    from trainlint.rule import Rule, Triggers


class Declared(Protocol):
    """What a rule declares; `trainlint.rule.Rule` says what each of it means."""

    @property
    def code(self) -> str:
        """The prefix of the pack and three digits."""

    @property
    def name(self) -> str:
        """The pattern in kebab case."""

    @property
    def summary(self) -> str:
        """The first line of its page."""

    @property
    def severity(self) -> Severity:
        """Its tier."""

    @property
    def triggers(self) -> Triggers:
        """Where it wants to look."""

    @property
    def fix_safety(self) -> Safety | None:
        """The level of its fix."""

    @property
    def preview(self) -> bool:
        """Whether it is off unless `--preview`."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Codes of other linters."""

    @property
    def of_engine(self) -> bool:
        """Whether it is asked about no place."""

    @property
    def of_run(self) -> bool:
        """Whether the probe alone finds it."""

    @property
    def module(self) -> str:
        """Where it is written."""

    def loaded(self) -> type[Rule]:
        """Its class, which is imported now if nobody needed it before."""


class Bound(Declared, Protocol):
    """A rule that is ready to be asked."""

    def check(self, site: Site) -> Iterator[Finding]:
        """Yield a finding for each defect at one place that its triggers named."""


class Known(Declared, Protocol):
    """An installed rule: its class, or its entry in the catalogue."""

    def __call__(self) -> Bound:
        """The rule itself."""
