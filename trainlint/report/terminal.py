"""Rich, held to what the terminal can show. Importing this module costs the time to import Rich."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.text import Text
from rich.theme import Theme

from trainlint.report.characters import sentence, to_ascii
from trainlint.report.settings import Style

_LEAST_WIDTH = 20
"""Columns that sentences get even where the terminal is narrower."""

# Rich paints code in prose on black, which is a blot on a light background.
_THEME = Theme({"markdown.code": "bold cyan"})


def laid_out(renderables: Iterable[RenderableType], style: Style) -> str:
    """What Rich makes of tables, Markdown and the like in the terminal's width.

    No blanks at the ends of lines, and no blank lines around a renderable that has other lines.
    """
    console = _console(style)
    lines: list[list[Segment]] = []
    for renderable in renderables:
        block = [_without_trailing_blanks(line) for line in console.render_lines(renderable, pad=False)]
        while len(block) > 1 and not block[0]:
            del block[0]
        while len(block) > 1 and not block[-1]:
            del block[-1]
        lines += block
    return _painted(console, lines, style)


def as_written(lines: Iterable[Text], style: Style) -> str:
    """Lines that fit already, or must not be broken, such as addresses."""
    if not style.color:  # Rich takes ten times as long to find out that there is nothing to paint
        shown = [line.plain.rstrip() for line in lines]
        return "".join([f"{line if style.unicode else to_ascii(line)}\n" for line in shown])
    console = _console(style)
    return _painted(console, (_segments(line, console) for line in lines), style)


def wrapped(text: Text, style: Style, *, indent: str = "") -> Iterator[Text]:
    """The text in lines of the terminal's width; all but the first are indented."""
    width = max(style.width, _LEAST_WIDTH)
    if (
        len(text) <= width and text.plain.isascii() and text.plain.isprintable()
    ):  # most fit, and Rich takes long to see it
        yield text
        return
    console = _console(style)
    lines = text.wrap(console, width)
    yield from lines[:1]
    for line in lines[1:]:
        line.rstrip()
    remaining = Text(" ").join(lines[1:])
    if remaining:
        for line in remaining.wrap(console, max(style.width - len(indent), _LEAST_WIDTH)):
            yield Text(indent) + line


def sentences(text: str, style: Style, look: str = "", *, indent: str = "") -> Iterator[Text]:
    """Sentences for people in lines of the terminal's width, all in one look."""
    yield from wrapped(Text(sentence(text, unicode=style.unicode), look), style, indent=indent)


def _segments(line: Text, console: Console) -> list[Segment]:
    # Rich leaves out the style of a text as a whole where no part of it has one of its own.
    return list(line.render(console)) if line.spans else [Segment(line.plain, console.get_style(line.style))]


def _console(style: Style) -> Console:
    return Console(
        file=io.StringIO(),
        width=style.width,
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        no_color=not style.color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        theme=_THEME,
    )


def _painted(console: Console, lines: Iterable[list[Segment]], style: Style) -> str:
    segments: list[Segment] = []
    for line in lines:
        kept = _without_trailing_blanks(line)
        segments += kept if style.unicode else [Segment(to_ascii(part.text), part.style) for part in kept]
        segments.append(Segment.line())
    console.print(Segments(segments), end="", crop=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _without_trailing_blanks(segments: list[Segment]) -> list[Segment]:
    kept = [segment for segment in segments if not segment.control]
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept
