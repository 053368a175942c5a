"""Parses TOML that a stranger may have written: nothing in it takes long or overflows the stack."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_DOTS = 1_000
"""In a line. The parser takes quadratic time over the parts of a dotted key."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises ValueError, also where it is nested too deeply or a key has too many parts."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:
            raise ValueError(f"a line has more than {_MOST_DOTS:,} dots (at line {number})")
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return values
