"""What a run has not executed, and because of which limit."""

from __future__ import annotations

from typing import NamedTuple

from trainlint.interpreter.bounds import Limit


class LeftOut(NamedTuple):
    """A function, class or module of which some execution was left out."""

    path: str
    """The file, below the root of the project."""
    line: int
    name: str
    limit: Limit
    error: str = ""
    """What was raised, where that is why."""

    @property
    def sentence(self) -> str:
        """What and why, and what to do, for people."""
        why = f"`{self.name}` in line {self.line} is not wholly known: {self.limit.value}"
        return f"{why} ({self.error}); please report this" if self.error else f"{why}; split it, or exclude the file"
