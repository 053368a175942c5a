"""`trainlint explain CODE`: a rule's page as text for the terminal, Markdown or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.handbook import docs_url, facts, page_data, page_markdown, sections
from trainlint.report.settings import Style
from trainlint.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

FORMATS = ("text", "json", "markdown")
"""What `--output-format` of `trainlint explain` and `trainlint rules` may be."""

_WIDEST = 100
"""Columns beyond which lines of prose are hard to read."""


def render(rule: type[Rule], output_format: str, *, style: Style) -> str:
    """The rule's page in one of FORMATS. Raises ValueError for any other format."""
    if output_format == "markdown":
        return page_markdown(rule)
    if output_format == "json":
        import json

        return json.dumps(page_data(rule), indent=2) + "\n"
    if output_format == "text":
        from trainlint.report.terminal import as_written, laid_out

        return laid_out(_page(rule, style), style) + as_written(_address(rule, style), style)
    raise ValueError(f"unknown output format {output_format!r}; choose one of {', '.join(FORMATS)}")


def _page(rule: type[Rule], style: Style) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    yield Text.assemble((rule.code, "bold cyan"), " ", (rule.name, "bold"))
    yield _prose(rule.manual.summary + ".", style)
    yield Text()
    for fact in facts(rule):
        yield Padding(_prose(fact, style), (0, 0, 0, 2))
    if rule.manual.introduction:
        yield Text()
        yield _prose(rule.manual.introduction, style)
    for heading, body in sections(rule):
        yield Text()
        yield Text(heading, "bold cyan")
        yield Padding(_prose(body, style), (0, 0, 0, 2))


def _address(rule: type[Rule], style: Style) -> Iterator[Text]:
    """In one piece even where it is longer than the line, so that it can be clicked and copied."""
    from rich.text import Text

    if url := docs_url(rule):
        yield Text()
        yield Text(url, f"dim link {url}" if style.links else "dim")


def _prose(markdown: str, style: Style) -> RenderableType:
    from rich.constrain import Constrain

    from trainlint.report.rule_pages.prose import prose

    return Constrain(prose(markdown, style), _WIDEST)
