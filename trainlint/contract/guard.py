"""Reasons to stay silent, each with the sentence that the rule's page and `trainlint why` print."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from trainlint.analysis.site import Site


@dataclass(frozen=True, slots=True)
class Guard:
    """A reason for a rule to stay silent about a place."""

    sentence: str
    """A clause in the present tense, as in "the file does not use torch.compile"."""
    holds: Callable[[Site], bool]
    """Asked about the place that would be reported; about the place that the rule looks at if `before_found`."""
    before_found: bool = False
    """Ask before `found`: for what costs less than `found` and rules out most places, as facts about a whole file."""


def guard(sentence: str, *, before_found: bool = False) -> Callable[[Callable[[Site], bool]], Guard]:
    """Make a Guard of the function that follows, for `unless` of a rule."""

    def named(holds: Callable[[Site], bool]) -> Guard:
        return Guard(sentence, holds, before_found)

    return named
