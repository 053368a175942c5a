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


def guard(holds: Callable[[Site], bool]) -> Guard:
    """Make a Guard of a function, for `unless` of a rule. The first line of its docstring is the sentence."""
    return Guard(_clause(holds), holds)


def early_guard(holds: Callable[[Site], bool]) -> Guard:
    """The same, asked before `found`."""
    return Guard(_clause(holds), holds, before_found=True)


def _clause(function: Callable[[Site], bool]) -> str:
    """The first line of a docstring as a clause. Raises TypeError where there is none."""
    sentence = (function.__doc__ or "").partition("\n")[0].rstrip(".")
    if not sentence:
        raise TypeError(f"the guard {function.__qualname__} has no docstring, which is its sentence")
    first = sentence.split(maxsplit=1)[0]
    is_name = any(letter.isupper() for letter in first[1:])  # as in "TRN207 reports this" and "DeepSpeed does it"
    return sentence if is_name else sentence[0].lower() + sentence[1:]
