"""What a test says of its branches."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

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
    interval: bool = False
    """Whether one of the branches runs every n steps."""

    @property
    def turned(self) -> Branch:
        """The branches of the negated test."""
        truth = None if self.truth is None else not self.truth
        return Branch(truth, self.fails, self.holds, self.because, self.interval)


PLAIN_BRANCH = Branch()
_COLDEST: Final[tuple[Cold, ...]] = ("off", "evaluation", "rare", "")


def both(parts: list[Branch]) -> Branch:
    """The branches of tests joined by `and`, in any order.

    It holds where all parts do, thus as rarely as the coldest of them, and fails as often as the warmest part does.
    """
    failing = next((part for part in parts if part.truth is False), None)
    if failing is not None:
        return failing
    open_parts = [part for part in parts if part.truth is None]
    if not open_parts:
        return Branch(truth=True)
    cold = min(open_parts, key=lambda part: _COLDEST.index(part.holds))
    failing = max(open_parts, key=lambda part: _COLDEST.index(part.fails))
    interval = any(part.interval for part in open_parts if part.holds == cold.holds)
    return Branch(None, cold.holds, failing.fails, (cold if cold.holds else failing).because, interval)


def either(parts: list[Branch]) -> Branch:
    """The branches of tests joined by `or`."""
    return both([part.turned for part in parts]).turned
