"""Words by which a file says that it sets what holds for a whole program: the type of autocast, copies that go on."""

from __future__ import annotations

_AUTOCAST = b"set_autocast_"
_GOING_ON = b"non_blocking"


def sets_autocast(data: bytes) -> bool:
    """Whether the bytes of a source file name a function that sets the type of all autocasts, or switches them."""
    return _AUTOCAST in data


def copies_without_waiting(data: bytes) -> bool:
    """Whether they name the argument by which a copy lets the host go on."""
    return _GOING_ON in data
