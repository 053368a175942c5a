"""How figures are laid out, in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchmarks.accuracy.reliability import interval

if TYPE_CHECKING:
    from benchmarks.accuracy.score import Share


def share(of: Share) -> str:
    """A share with its parts: "0.70 (7/10)"; "-" of an empty whole."""
    return "-" if of.value is None else f"{of.value:.2f} ({of.part}/{of.whole})"


def interval_text(of: Share) -> str:
    """Wilson's 95% interval of a share: "0.40 to 0.89"; "-" of an empty whole."""
    within = interval(of)
    return "-" if within is None else f"{within[0]:.2f} to {within[1]:.2f}"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """A titled table with columns of even width."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]

    def padded(row: Iterable[str]) -> list[str]:
        return [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]

    if markdown:
        lines = [padded(header), ["-" * width for width in widths], *map(padded, rows)]
        return "\n".join((f"## {title}", "", *("| " + " | ".join(line) + " |" for line in lines)))
    return "\n".join((title, *("  " + "  ".join(padded(row)).rstrip() for row in (header, *rows))))


def listing(title: str, entries: Sequence[str], *, markdown: bool) -> str:
    """A titled list of entries that may run over several lines."""
    if not markdown:
        return "\n".join((title, *("  " + entry.replace("\n", "\n  ") for entry in entries)))
    # Foreign code and messages are shown as they are, so they stand in a block that Markdown leaves alone.
    return "\n".join((f"## {title}", "", "~~~text", *entries, "~~~"))
