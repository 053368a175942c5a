"""For people at a terminal: what a step spent of each limit, and the lines beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from trainlint.report.settings import Style
from trainlint.report.terminal import sentences
from trainlint_probe.budgets.judged import Spending
from trainlint_probe.budgets.words import lines_of


def budget_lines(budgets: Sequence[Spending], style: Style) -> Iterator[Text]:
    """The last lines of a report: of each process, whether it keeps within its budget."""
    for spending in budgets:
        yield Text("")
        rank = f" of rank {spending.rank}" if len(budgets) > 1 else ""
        over = ", ".join(use.limit for use in spending.over)
        said, color = (f"exceeded: {over}", "bold red") if over else ("kept", "bold green")
        yield Text(f"Budget{rank} {said}", color)
        for line in lines_of(spending):
            yield from sentences(line, style, indent="    ")
