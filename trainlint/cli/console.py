"""Where words go: results to stdout, everything about the run to stderr. A reader who leaves ends nothing badly."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: `trainlint --version` is to answer at once
    from typing import TextIO


_LAST_STANDARD_STREAM = 2


class UsageError(Exception):
    """What the user asked for cannot be done. Each argument is a sentence for people."""


def prepare() -> None:
    """Let any character through: what the terminal's encoding does not have is written as an escape.

    Where standard output or error is closed, what is written goes nowhere. The numbers of closed streams are taken, so
    that no file that is opened later gets them and is written to by mistake.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= _LAST_STANDARD_STREAM:
        descriptor = os.dup(descriptor)
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(
                sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8", errors="backslashreplace")
            )
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(stream: TextIO, text: str) -> None:
    """Write text at once. A reader who has left, as in `trainlint check | head`, is no error.

    Raises UsageError where the text cannot be written, as to a disk that is full.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _redirect_to_devnull(stream)
    except OSError as error:
        _redirect_to_devnull(stream)
        raise _cannot_write(error) from error


def out(text: str) -> None:
    """Write a result that is laid out for people."""
    from trainlint.report.characters import without_commands

    write(sys.stdout, without_commands(text))


def out_bytes(data: bytes) -> None:
    """Write a result whose encoding and line ends are its own, such as the source text of a fixed file.

    Raises UsageError as `write` does.
    """
    write(sys.stdout, "")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _redirect_to_devnull(sys.stdout)
    except OSError as error:
        _redirect_to_devnull(sys.stdout)
        raise _cannot_write(error) from error


def note(text: str) -> None:
    """Write one line about the run, whatever names of files stand in it."""
    from trainlint.report.characters import sentence, without_commands

    with suppress(UsageError):  # there is nowhere left to say so, and the exit code stays what it was
        write(sys.stderr, without_commands(f"{sentence(text, unicode=True)}\n"))


def _cannot_write(error: OSError) -> UsageError:
    return UsageError(f"the output cannot be written ({error.strerror})")


def _redirect_to_devnull(stream: TextIO) -> None:
    """Send what is still to come nowhere: Python flushes once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def columns() -> int:
    """The width of the terminal, as `shutil.get_terminal_size` tells it."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated) > 0:
        return int(stated)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80
