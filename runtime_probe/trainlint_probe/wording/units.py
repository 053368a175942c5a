"""Numbers with the unit that people read them in: "840 µs", "12.3 ms", "106 MB". Three digits, as more is noise."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf

from trainlint.evidence.interval import Interval

_TIMES = ((1e3, "s"), (1.0, "ms"), (1e-3, "µs"))
"""Milliseconds in a unit, the largest first."""
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes"))
"""Bytes in a unit, likewise. They are decimal, as those of files; a device's memory is told in GiB, as by PyTorch."""
_DIGITS = 3
_NEXT_UNIT = 0.9995
"""From this share of a unit on, a number is rounded up to it: 999.6 µs is 1 ms."""


def duration(ms: float) -> str:
    """A time in its unit: "2.35 s", "305 ms", "840 µs"."""
    return _in_one_unit((ms,), _TIMES)[0]


def some_of(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are: "a.py, b.py and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def part(ms: float, whole: float) -> str:
    """A time as a part of another: "0.3 of 1.8 ms"."""
    return " of ".join(_in_one_unit((ms, whole), _TIMES))


def span(between: Interval, to: str = " to ") -> str:
    """A time that lies between two bounds: "0.29 to 1.4 ms", or one number where they look alike."""
    if isinf(between.high):
        return f"{duration(between.low)} or more"
    if isinf(between.low):
        return f"{duration(between.high)} at most"
    low, high = _in_one_unit((between.low, between.high), _TIMES)
    return high if low == high.partition(" ")[0] else f"{low}{to}{high}"


def unit_of(ms: float) -> tuple[float, str]:
    """The unit for a table of times of which the largest is this: how many milliseconds it has, and its name."""
    return _unit(ms, _TIMES)


def size(number: float) -> str:
    """A size in its unit: "106 MB"."""
    return _in_one_unit((number,), _SIZES)[0]


def _unit(value: float, units: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    return next((unit for unit in units if abs(value) >= _NEXT_UNIT * unit[0]), units[-1])


def _in_one_unit(values: tuple[float, ...], units: tuple[tuple[float, str], ...]) -> tuple[str, ...]:
    """The values with as many decimals as the largest has, and the unit behind the last."""
    largest = max(map(abs, values))
    of, name = _unit(largest, units) if largest else units[1]
    before_the_point = len(str(int(largest / of + 0.5)))
    decimals = max(_DIGITS - before_the_point, 0) if name != "bytes" else 0
    *first, last = (_plain(value / of, decimals) for value in values)
    return (*first, f"{last} {name}")


def _plain(value: float, decimals: int) -> str:
    """A number without zeros that say nothing: "1.8", "0"."""
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
