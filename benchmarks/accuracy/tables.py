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


def estimate(of: Share) -> str:
    """A share with its interval: "0.70 (7/10), 0.40 to 0.89"."""
    return share(of) if interval(of) is None else f"{share(of)}, {interval_text(of)}"


def row(*cells: str) -> str:
    """One row of a Markdown table whose columns need no even width."""
    return f"| {' | '.join(cells)} |"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, markdown: bool) -> str:
    """A titled table with columns of even width."""
    widths = [max(len(cells[column]) for cells in (header, *rows)) for column in range(len(header))]

    def padded(cells: Iterable[str]) -> list[str]:
        return [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]

    if markdown:
        lines = [padded(header), ["-" * width for width in widths], *map(padded, rows)]
        return "\n".join((f"## {title}", "", *("| " + " | ".join(line) + " |" for line in lines)))
    return "\n".join((title, *("  " + "  ".join(padded(cells)).rstrip() for cells in (header, *rows))))


def listing(title: str, entries: Sequence[str], *, markdown: bool) -> str:
    """A titled list of entries that may run over several lines."""
    if not markdown:
        return "\n".join((title, *("  " + entry.replace("\n", "\n  ") for entry in entries)))
    # Foreign code and messages are shown as they are, so they stand in a block that Markdown leaves alone.
    return "\n".join((f"## {title}", "", "~~~text", *entries, "~~~"))
