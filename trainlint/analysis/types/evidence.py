"""How the fields of a value are known.

Of two statements about the same value, that with the better evidence wins. Of several values that a name may hold,
those that are known win over those that are guessed, and those that are equally well known are joined.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Rank(IntEnum):
    """Sorts of evidence, weakest first."""

    UNKNOWN = 0
    NAMED = 1
    """Guessed: from a name, or from where tensors of the file usually are."""
    PASSED = 2
    """What calls in sight pass for a parameter."""
    DECLARED = 3
    """An annotation says so."""
    PROVED = 4
    """The code that computes the value says so."""


class Evidence(NamedTuple):
    """The rank of each field of a value."""

    kind: Rank
    home: Rank
    origin: Rank
    graph: Rank


PROVED = Evidence(Rank.PROVED, Rank.PROVED, Rank.PROVED, Rank.PROVED)
NAMED = Evidence(Rank.NAMED, Rank.NAMED, Rank.NAMED, Rank.NAMED)
DECLARED = Evidence(Rank.DECLARED, Rank.NAMED, Rank.NAMED, Rank.NAMED)
"""An annotation proves the kind of a value, and nothing else of it."""
ASSUMED_HOME = PROVED._replace(home=Rank.NAMED)
"""A value that surely is of its kind, and of which only the file's usual device tells where it is."""


def at_most(evidence: Evidence, rank: Rank) -> Evidence:
    """The same evidence, no field of it better than a rank."""
    if max(evidence) <= rank:
        return evidence
    return Evidence(*[min(each, rank) for each in evidence])
