"""Markdown for the terminal, as the pages of rules are written in. Importing it costs more than Rich itself."""

from __future__ import annotations

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.syntax import Syntax

from trainlint.report.settings import Style


class _Code(CodeBlock):
    """Code without the blank lines that Rich puts above and below it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Syntax(str(self.text).rstrip(), self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2))


class _Page(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
    }


def prose(markdown: str, style: Style) -> Markdown:
    """The text with its code highlighted in the terminal's own colours, which suit dark and light backgrounds alike."""
    return _Page(markdown, code_theme="ansi_dark", hyperlinks=style.links)
