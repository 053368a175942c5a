"""Where words go: results to stdout, everything about the run to stderr. A reader who leaves ends nothing badly."""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: `trainlint --version` is to answer at once
    from typing import TextIO


class UsageError(Exception):
    """What the user asked for cannot be done. The message is a sentence for people."""


def prepare() -> None:
    """Let any character through: what the terminal's encoding does not have is written as an escape."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def write(stream: TextIO, text: str) -> None:
    """Write text at once. A reader who has left, as in `trainlint check | head`, is no error.

    Raises UsageError where the text cannot be written, as to a disk that is full.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _mute(stream)
    except OSError as error:
        _mute(stream)
        raise UsageError(f"the output cannot be written ({error.strerror})") from error


def out(text: str) -> None:
    """Write a result."""
    write(sys.stdout, text)


def out_bytes(data: bytes) -> None:
    """Write a result whose encoding and line ends are its own, such as the source text of a fixed file."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _mute(sys.stdout)


def note(text: str) -> None:
    """Write a line about the run."""
    write(sys.stderr, f"{text}\n")


def _mute(stream: TextIO) -> None:
    """Send what is still to come nowhere: Python flushes once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
