"""Amounts in words, for people."""

from __future__ import annotations


def gigabytes(value: float) -> str:
    """Bytes in GB, of 1e9 each."""
    return f"{value / 1e9:,.1f} GB"


def count(value: float) -> str:
    """A number of parameters: "7.5 B"."""
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:  # rounded to three digits it is one of the unit
            return f"{value / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{value:.0f}"


def seconds(value: float | None) -> str:
    """A time; "?" where it is not known."""
    if value is None:
        return "?"
    return f"{value * 1e3:,.1f} ms" if value < 1 else f"{value:,.2f} s"
