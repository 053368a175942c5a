"""What a test says of its branches."""

from __future__ import annotations

from typing import Literal, NamedTuple

Cold = Literal["", "evaluation", "rare", "off"]
"""How cold a branch is: "" says nothing; `evaluation`: not while training; `rare`: in few steps; `off`: by default."""


class Branch(NamedTuple):
    """A test with its two branches."""

    truth: bool | None = None
    """How the test ends, where that is known."""
    holds: Cold = ""
    """How cold the branch is that runs where the test holds."""
    fails: Cold = ""
    """How cold the other one is."""
    because: str = ""
    """What of the test says so, for people."""

    @property
    def turned(self) -> Branch:
        """The branches of the negated test."""
        return Branch(None if self.truth is None else not self.truth, self.fails, self.holds, self.because)


PLAIN_BRANCH = Branch()


def both(parts: list[Branch]) -> Branch:
    """The branches of tests joined by `and`."""
    failing = next((part for part in parts if part.truth is False), None)
    if failing is not None:
        return failing
    cold = next((part for part in parts if part.holds), None)
    open_parts = [part for part in parts if part.truth is None]
    fails: Cold = ""
    if open_parts and all(part.fails for part in open_parts):
        fails = open_parts[0].fails
    because = cold.because if cold is not None else open_parts[0].because if open_parts else ""
    return Branch(None if open_parts else True, cold.holds if cold is not None else "", fails, because)


def either(parts: list[Branch]) -> Branch:
    """The branches of tests joined by `or`."""
    return both([part.turned for part in parts]).turned
