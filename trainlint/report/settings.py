"""What a renderer may know of the outside: the terminal, and where paths start."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal, TextIO

    from trainlint.source import SourceFile

    Color = Literal["auto", "always", "never"]

Sources = Callable[[str], "SourceFile | None"]
"""Gives the text of a file by the path that a finding carries; None where it is no longer at hand."""

_PLAIN_WIDTH = 100
"""Columns of output that goes to a file or a pipe."""


@dataclass(frozen=True, slots=True)
class Style:
    """What the place that shows the text can do."""

    width: int = _PLAIN_WIDTH
    """Columns of the terminal; lines are wrapped or clipped to them."""
    color: bool = False
    unicode: bool = True
    """Whether any character can be shown; otherwise the text is pure ASCII."""
    links: bool = False
    """Whether the terminal makes words clickable (OSC 8)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one report is rendered."""

    style: Style = Style()
    directory: str = field(default_factory=os.getcwd)
    """The folder, absolute, that the paths of findings are relative to: where trainlint was started."""
    repository: str | None = None
    """The folder, absolute, that paths in GitHub and SARIF reports are relative to; None means `directory`."""
    summary: bool = True
    """Whether reports for people end with counts and what to do next."""
    verbose: bool = False
    """Whether the full format shows the lines around each finding, whole diffs, and all further places."""
    by_path: bool = False
    """Whether findings stand in the order of their places; else the dearest come first."""
    paths: tuple[str, ...] = ()
    """What the user named, for commands that the report ends with; none for the working directory."""


def style_for(stream: TextIO, color: Color = "auto", environ: Mapping[str, str] | None = None) -> Style:
    """What can be shown on `stream`, by the user's `--color`, the usual variables, and the stream itself.

    NO_COLOR turns colour off and FORCE_COLOR on, where the command line leaves it open; COLUMNS sets the width.
    """
    environ = os.environ if environ is None else environ
    terminal = stream.isatty()
    able = terminal and environ.get("TERM") != "dumb" and (sys.platform != "win32" or "WT_SESSION" in environ)
    if color == "auto":
        colored = not environ.get("NO_COLOR") and (able or environ.get("FORCE_COLOR", "0") not in ("", "0"))
    else:
        colored = color == "always"
    return Style(
        width=_width(stream, environ) if terminal or environ.get("COLUMNS") else _PLAIN_WIDTH,
        color=colored,
        unicode=_takes_any_character(stream),
        links=able and colored,
    )


def style_of_report(color: Color, file: Path | None) -> Style:
    """What can be shown where a report goes: in the file that the user has named, else on stdout."""
    return style_for(sys.stdout, color) if file is None else Style(color=color == "always")


def _width(stream: TextIO, environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _PLAIN_WIDTH
    except (OSError, ValueError):
        return _PLAIN_WIDTH


def _takes_any_character(stream: TextIO) -> bool:
    try:
        "│…→\N{GRINNING FACE}".encode(stream.encoding or "utf-8")  # None: a stream that keeps text as text
    except UnicodeEncodeError:
        return False
    return True
