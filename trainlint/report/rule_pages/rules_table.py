"""`trainlint rules`: what there is to find, as a table for the terminal, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainlint.finding import Severity
from trainlint.handbook import docs_url, fix_label, page_data, rules_table, state_label
from trainlint.report.rule_pages.explain import FORMATS
from trainlint.report.settings import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from trainlint.catalogue import AnyRule

_WIDE_ENOUGH = 72
"""Columns from which on a rule fits on one line."""
_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.ADVICE: "cyan"}


def render(rules: Sequence[AnyRule], output_format: str, *, style: Style) -> str:
    """The rules, in the order in which they are given, in one of the formats of `explain`.

    Raises ValueError for any other format.
    """
    if output_format == "markdown":
        return rules_table(rules)
    if output_format == "json":
        import json

        return json.dumps([page_data(rule.loaded()) for rule in rules], indent=2) + "\n"
    if output_format == "text":
        from trainlint.report.terminal import laid_out

        shown = _table(rules, style) if style.width >= _WIDE_ENOUGH else _list(rules)
        return laid_out(shown, style)
    raise ValueError(f"unknown output format {output_format!r}; choose one of {', '.join(FORMATS)}")


def _table(rules: Sequence[AnyRule], style: Style) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("code", "name", "severity", "fix at best", ""):
        table.add_column(heading, no_wrap=True)
    for rule in rules:
        url = docs_url(rule)
        table.add_row(
            Text(rule.code, f"bold link {url}" if url and style.links else "bold"),
            rule.name,
            Text(rule.severity.label, _COLORS[rule.severity]),
            fix_label(rule),
            Text(state_label(rule), "dim"),
        )
    yield table
    yield Text()
    yield from _closing(rules)


def _list(rules: Sequence[AnyRule]) -> Iterator[RenderableType]:
    """Two lines a rule, for narrow terminals."""
    from rich.text import Text

    for rule in rules:
        state = f", {state_label(rule)}" if state_label(rule) else ""
        yield Text.assemble((rule.code, "bold"), f" {rule.name}")
        yield Text.assemble("  ", (rule.severity.label, _COLORS[rule.severity]), f", fix: {fix_label(rule)}{state}")
    yield Text()
    yield from _closing(rules)


def _closing(rules: Sequence[AnyRule]) -> Iterator[RenderableType]:
    from rich.text import Text

    from trainlint.report.words import count

    yield Text(
        f"{count(len(rules), 'rule')}. Fixes are safe or unsafe by place; the list has the best level. "
        "`trainlint explain CODE` shows the page of one.",
        "dim",
    )
