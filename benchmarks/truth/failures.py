"""What comes to nothing, and why."""

from __future__ import annotations


class NotRun(Exception):
    """An environment, a script or a check came to nothing; the message says why."""


def last_line(text: str) -> str:
    """The last line of what a program said, which says what went wrong."""
    return (text.strip().splitlines() or ["it said nothing"])[-1][:300]
