"""What ended a script, in a line for people."""

from __future__ import annotations

import traceback

from trainlint_probe.watch.lines import Lines, display_path

_MOST = 300
"""Characters. Messages of libraries may hold whole tables."""


def words_of(error: BaseException) -> str:
    """The error as Python says it, in one line: "ValueError: no data". One without a text is its name alone."""
    lines = [line.strip() for line in "".join(traceback.format_exception_only(error)).splitlines() if line.strip()]
    if isinstance(error, SyntaxError):  # the place and its source stand before
        return _short(lines[-1])
    return _short(" ".join(lines[:2]) if lines[0].endswith(":") else lines[0])


def words_with_line(error: BaseException, lines: Lines, directory: str) -> str:
    """The same, with the last of the user's lines on the way to it: "ValueError: no data (train.py:12)"."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if lines.is_users(frame.filename)]
    if not frames:
        return words_of(error)
    return f"{words_of(error)} ({display_path(frames[-1].filename, directory)}:{frames[-1].lineno})"


def exit_in_words(code: object) -> str:
    """What `sys.exit` was called with, where that is a failure."""
    return f"it ended with exit code {code}" if isinstance(code, int) else _short(f"it ended with: {code}")


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."
