"""Enumerations that serve as keys on the hot path."""

from __future__ import annotations

from enum import Enum


class Choice(Enum):
    """An enumeration whose members hash at once, by identity. `Enum` itself hashes a member's name, in Python."""

    __hash__ = object.__hash__
