"""Sizes as people write them: "7.5e9", "7b", "80GB"."""

from __future__ import annotations

import re

_NUMBER = r"((?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:e[+-]?[0-9]{1,3})?)"
_COUNT = re.compile(rf"{_NUMBER} ?([kmbt]?)", re.IGNORECASE)
_BYTES = re.compile(rf"{_NUMBER} ?(?:([kmgt])(i?)b?)?", re.IGNORECASE)
_THOUSANDS = {"": 1, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_POWERS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def count_of(text: str) -> float:
    """A number of parameters: "7.5e9", "7.5b", "350M". Raises ValueError with a sentence for anything else."""
    found = _COUNT.fullmatch(text.strip())
    value = float(found[1]) * _THOUSANDS[found[2].lower()] if found else 0.0
    if not 1 <= value < 1e16:
        raise ValueError(f"expected a number of parameters such as 7.5e9, 7b or 350M, not {text!r}")
    return value


def bytes_of(text: str) -> float:
    """A number of bytes: "80GB" (1e9 each), "80GiB" (2^30 each), or GB where no unit stands: "80".

    Raises ValueError with a sentence for anything else.
    """
    found = _BYTES.fullmatch(text.strip())
    value = 0.0
    if found:
        unit = (found[2] or "g").lower()
        value = float(found[1]) * (_POWERS[unit] if found[3] else _THOUSANDS[unit])
    if not 1e6 <= value < 1e15:
        raise ValueError(f"expected an amount of memory such as 80GB or 24GiB, not {text!r}")
    return value
