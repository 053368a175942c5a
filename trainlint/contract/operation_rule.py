"""A rule about operations that the abstract run executes: which of them, and what to say of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainlint.contract.confidence import LEVELS
from trainlint.contract.declared_rule import Match, WordedRule
from trainlint.finding import OFTEN, Confidence, Heat, HeatFact, RelatedPlace
from trainlint.rule import Triggers

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing the run takes long, and a rule needs only its result
    from typing import ClassVar

    from trainlint.analysis.site import Site
    from trainlint.finding import Finding
    from trainlint.interpreter.machine.events import Link
    from trainlint.interpreter.operations import Operation

NEEDED = "the CPU needs the value in each step anyway, as an environment needs an action"
ELSEWHERE = "its tensors are where nothing waits and nothing is copied, or trainlint cannot tell where they are"
_OUT_OF_STEPS = (
    "it does not run in every training step: it runs once, once an epoch, in evaluations or in data-loading workers, "
    "or nothing in sight calls it",
    "it runs only at an interval, in first steps, after a failure, or behind an option that is off by default",
    ELSEWHERE,
    NEEDED,
)
"""What the abstract run leaves out, as clauses."""


class OperationRule(WordedRule, base=True):
    """About operations that the abstract run executes in training steps, of the kinds in `happenings`.

    No name and no frequency is declared: what the run executes is what the rule is asked about.
    """

    triggers = Triggers()
    left_out: ClassVar[tuple[str, ...]] = _OUT_OF_STEPS
    """What is no operation of the rule, as clauses."""

    @classmethod
    def reasons_for_silence(cls) -> list[str]:
        """What the run leaves out, and the guards."""
        return [*cls.left_out, *super().reasons_for_silence()]

    def of_operation(self, site: Site, operation: Operation) -> Match | None:
        """What to say about an operation of one of the `happenings`; None where another rule speaks of it."""
        return Match(site)

    def check(self, site: Site) -> Iterator[Finding]:
        """Yield nothing: the rule is asked about operations."""
        yield from ()

    def check_operation(self, site: Site, operation: Operation) -> Iterator[Finding]:
        """Report an operation, unless a guard holds."""
        match = self.of_operation(site, operation)
        if match is not None and self.silence(site) is None:
            yield self.reported(site, match, operation)

    def reported(self, site: Site, match: Match, operation: Operation) -> Finding:
        """The finding about an operation in a training step."""
        heat = HeatFact(Heat.STEP, 1.0, chain_of(operation.chain, site.path))
        return self.worded(site, match, self.confidence(site, match, operation), _calls_to(operation), heat)

    def confidence(self, site: Site, match: Match, operation: Operation) -> Confidence:
        """As sure as the weakest premise: the rule, the match, the operation and the file."""
        premises = [self.sure, match.sure, LEVELS[operation.certainty]]
        if self.counts_little(site, costs=True):
            premises.append(Confidence.POSSIBLE)
        return min(premises)


def chain_of(links: Iterable[Link], path: str) -> tuple[str, ...]:
    """How a place in a file comes to run, as chains of findings are written."""
    return tuple(
        f"{f'line {link.line}' if link.path == path else f'{link.path}:{link.line}'}: {link.words}" for link in links
    )


def _calls_to(operation: Operation) -> tuple[RelatedPlace, ...]:
    """The calls through which an operation is executed."""
    return tuple(
        RelatedPlace(
            call.path, call.line, call.column, f"calls `{call.words.removeprefix('calls ')}`{OFTEN[Heat.STEP]}"
        )
        for call in operation.calls
    )
