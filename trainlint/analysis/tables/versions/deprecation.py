"""A row of the table of names that PyTorch has renamed, deprecated or taken away."""

from __future__ import annotations

from typing import NamedTuple

Version = tuple[int, int]

DOCS = "https://docs.pytorch.org/docs/stable/"
LINALG = DOCS + "linalg.html"
INIT = DOCS + "nn.init.html"
FUNC = DOCS + "func.migrating.html"
DISTRIBUTED = DOCS + "distributed.html"


class Deprecation(NamedTuple):
    """One old name."""

    symbol: str
    """Dotted, as the documentation writes it."""
    code: str
    """The rule that reports it."""
    since: Version
    """The first version that calls it deprecated, in a warning or in its documentation."""
    replacement: str
    """A dotted name where `exact`; else what to write, in words."""
    source: str
    """Where PyTorch says so."""
    exact: bool = False
    """Whether the replacement takes the same arguments and gives the same result, bit for bit."""
    replaced_in: Version = (1, 0)
    """The first version that has the replacement."""
    removed: Version | None = None
    """The first version in which the name is missing, or raises whenever it is used."""
    spellings: tuple[str, ...] = ()
    """Other dotted names of the same thing."""
    warns: bool = True
    """Whether PyTorch itself says so when the name is used; else only its documentation does."""
    called: bool = False
    """Whether only a call is deprecated: as a type, or to test for, the name is fine."""
    confidence: float = 0.95
    same_object: bool = False
    """Whether both names mean one and the same object, so that it may be compared and pickled under either."""

    @property
    def private(self) -> bool:
        """Whether it is no old name, but one that may move without a warning."""
        return self.code == "TRN809"

    @property
    def names(self) -> tuple[str, ...]:
        """All dotted names of it."""
        return (self.symbol, *self.spellings)
