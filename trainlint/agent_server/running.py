"""Runs one command of trainlint in a process of its own, within limits of time and of text."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from typing import IO, NamedTuple

LONGEST = 16_000
"""Characters of an answer, about 4,000 tokens. What is left over is said."""
# The working directory is the repository that is judged: no module is to come from there.
_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from trainlint.cli import main; sys.exit(main())"
TIMED_OUT = 124
"""The exit code of a command that took too long, as that of the program `timeout`."""


class Answer(NamedTuple):
    """What a command printed, and its exit code."""

    text: str
    code: int


async def answer_of(words: Sequence[str], seconds: float, text: str = "") -> Answer:
    """Run `trainlint` with these words and this text as its standard input, and end it after so many seconds."""
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as noted, tempfile.TemporaryFile() as asked:
        asked.write(text.encode())
        asked.seek(0)
        command = (sys.executable, "-c", _PROGRAM, *words)
        # Its own group, so that the processes which it starts end with it.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asked, stdout=told, stderr=noted, start_new_session=True
        )
        try:
            code = await asyncio.wait_for(process.wait(), seconds)
        except asyncio.TimeoutError:  # TimeoutError itself from Python 3.11 on
            return Answer(f"`trainlint {words[0]}` took more than {seconds:g} s and was ended; ask for less", TIMED_OUT)
        finally:
            _end(process)
        return Answer(_shortened([_read(told), _read(noted)]), code)


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process and what it started, where it has not ended."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(LONGEST * 4 + 4).decode(errors="replace").strip()


def _shortened(parts: Sequence[str]) -> str:
    text = "\n\n".join(part for part in parts if part)
    if len(text) <= LONGEST:
        return text
    kept = text[:LONGEST].rpartition("\n")[0]
    return (
        f"{kept}\n\n(The answer is longer than {LONGEST:,} characters. Name fewer paths, lines or rules for the rest.)"
    )
