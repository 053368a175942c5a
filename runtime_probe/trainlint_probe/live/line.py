"""The last row of a terminal, kept for one line of ours while a script writes above it.

The terminal itself keeps the two apart: it scrolls the rows above alone. So the script writes to the very terminal that
it would have without the probe, and none of its output passes through us.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import TextIO

from trainlint.report.settings import Style, style_for
from trainlint_probe.live.progress import Progress, read_progress

_FEWEST_ROWS = 6
_FEWEST_COLUMNS = 20
_NO_TERMINAL = ("CI", "JPY_PARENT_PID", "COLAB_RELEASE_TAG")
"""Where these are set, what calls itself a terminal is a log or a cell of a notebook, and has no last row."""
_BAR, _COLUMNS_WITH_BAR = 20, 70

SAVE, RESTORE = "\x1b7", "\x1b8"
"""All that we write while the script runs stands between these two: they keep its place, and give it back."""


@contextmanager
def live_line(stream: TextIO, output: Path, *, wanted: bool) -> Iterator[Callable[[], None]]:
    """A function that shows how far the run is that tells it in `output`; it does nothing where `stream` is no terminal
    or the line is not wanted.
    """
    if not (wanted and can_show(stream, os.environ)):
        yield lambda: None
        return
    row = _LastRow(stream.fileno())
    began = monotonic()
    style = style_for(stream)

    def show() -> None:
        progress = read_progress(output) or Progress("starting")
        row.show(lambda columns: rendered(progress, monotonic() - began, columns, style))

    stream.flush()
    row.open()
    try:
        yield show
    finally:
        row.close()


def can_show(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether the stream is a terminal whose last row can be kept."""
    if sys.platform == "win32" or any(name in environ for name in _NO_TERMINAL):
        return False
    if environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return False
    try:
        size = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):  # it is no terminal, or is closed
        return False
    return size.lines >= _FEWEST_ROWS and size.columns >= _FEWEST_COLUMNS


def rendered(progress: Progress, seconds: float, columns: int, style: Style) -> str:
    """The line, with its colours, no longer than the terminal is wide."""
    from rich.console import Console, RenderableType
    from rich.progress_bar import ProgressBar
    from rich.table import Column, Table
    from rich.text import Text

    steps = f" step {progress.done} of {progress.of}" if progress.of else ""
    minutes, rest = divmod(int(seconds), 60)
    cells: list[RenderableType] = [Text("trainlint", "bold"), f"{progress.doing}{steps}"]
    if progress.of and style.unicode and columns >= _COLUMNS_WITH_BAR:
        cells.append(ProgressBar(total=progress.of, completed=progress.done, width=_BAR))
    if progress.step_ms is not None:
        cells.append(f"{progress.step_ms:.1f} ms a step")
    cells.append(f"{minutes}:{rest:02}")
    line = Table.grid(*(Column(no_wrap=True) for _ in cells), padding=(0, 1))
    line.add_row(*cells)
    console = Console(
        file=StringIO(),
        width=columns - 1,  # a character in the last column makes some terminals begin a row
        force_terminal=True,
        color_system="standard" if style.color else None,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        console.print(line, end="")
    return captured.get().partition("\n")[0]


class _LastRow:
    """That of one terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = os.get_terminal_size(descriptor)
        self._shown = ""

    def open(self) -> None:
        """Take the row from what scrolls."""
        self._write(f"\n{SAVE}{self._scrolls_above()}{RESTORE}\x1b[1A")

    def show(self, line: Callable[[int], str]) -> None:
        """Put a line there, which is asked for with the number of columns."""
        with suppress(OSError):
            size = os.get_terminal_size(self._descriptor)
            text = line(size.columns)
            if (text, size) == (self._shown, self._size):
                return
            scrolls = self._scrolls_above() if size == self._size else self._resized(size)
            self._shown = text
            self._write(f"{SAVE}{scrolls}\x1b[{size.lines};1H\x1b[2K{text}{RESTORE}")

    def close(self) -> None:
        """Give the row back, empty."""
        self._write(f"{SAVE}\x1b[r\x1b[{self._size.lines};1H\x1b[2K{RESTORE}")

    def _resized(self, size: os.terminal_size) -> str:
        self._size = size
        return self._scrolls_above()

    def _scrolls_above(self) -> str:
        return f"\x1b[1;{self._size.lines - 1}r"

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the terminal is gone
            os.write(self._descriptor, text.encode("utf-8", "replace"))
