"""A program run at a real terminal: what it shows there, and what it is told by pressing keys."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_ESCAPES = re.compile(r"\x1b\][^\x1b]*\x1b\\\\|\x1b\[[0-9;?]*[A-Za-z]")
_PATIENCE = 100
"""Seconds without output after which a program counts as hanging."""


class Shown(NamedTuple):
    code: int
    raw: str

    @property
    def text(self) -> str:
        """What a person reads: without colours and links."""
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")


def at_terminal(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    keys: Sequence[str] = (),
    *,
    asks: str = "",
    columns: int = 80,
) -> Shown:
    """Run a command at a colour terminal. Of `keys`, the next is pressed each time that it has written `asks`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in environment.items() if name not in ("CI", "COLUMNS", "NO_COLOR")}
    try:
        with subprocess.Popen(
            list(command),
            cwd=directory,
            env={**environment, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            shown = _conversation(ours, keys, asks)
            if shown is None:
                process.kill()
                raise AssertionError("the program shows nothing and does not end")
    finally:
        os.close(ours)
    return Shown(process.returncode, shown)


def _conversation(ours: int, keys: Sequence[str], asks: str) -> str | None:
    """All that is shown until the program ends; None where it hangs."""
    data, pressed = b"", 0
    while select.select([ours], [], [], _PATIENCE)[0]:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # on Linux, the other end is closed
            part = b""
        if not part:
            return data.decode()
        data += part
        while pressed < min(len(keys), data.count(asks.encode()) if asks else 0):
            os.write(ours, keys[pressed].encode())
            pressed += 1
    return None
