"""The calls that make loaders, as their batches remember them."""

from __future__ import annotations

import ast
from typing import NamedTuple


class Making(NamedTuple):
    """A call that makes a loader."""

    path: str
    """The file, below the root of the project."""
    node: ast.expr
    loops: frozenset[int]
    """The identities of the loops around the call, in all functions."""

    @property
    def identity(self) -> int:
        """The same for all loaders that one call in the code makes."""
        return id(self.node)
