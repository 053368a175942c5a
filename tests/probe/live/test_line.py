"""The line at the end of the terminal: kept apart from what the script writes, and not there where there is none."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import TextIO

import pytest

from tests.probe.run.running import SCRIPTS, Runner, runner
from trainlint.report.settings import Style
from trainlint_probe.live.line import can_show, live_line, rendered
from trainlint_probe.live.progress import Progress, read_progress, write_progress

__all__ = ["runner"]

OURS = re.compile(r"\x1b7.*?\x1b8", re.DOTALL)
"""What we write to the terminal: it keeps the script's place and gives it back."""
OPENED = "\r\n\x1b[1A"
"""And, once, a line feed that makes room, with a step back up."""


class Terminal:
    """A terminal of 24 rows and 80 columns, and what was written to it."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.resize(24, 80)
        self._read = b""
        self._reader = threading.Thread(target=self._read_on, daemon=True)
        self._reader.start()  # a terminal that nobody reads takes some kilobytes, and then keeps its writers waiting

    def _read_on(self) -> None:
        while True:
            try:
                more = os.read(self.ours, 65536)
            except OSError:  # Linux's way to say that the other end is closed
                return
            if not more:
                return
            self._read += more

    def stream(self) -> TextIO:
        return os.fdopen(os.dup(self.theirs), "w", encoding="utf-8")

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def written(self) -> str:
        """All of it; nobody writes to it any more."""
        os.close(self.theirs)
        self._reader.join(timeout=60)
        os.close(self.ours)
        return self._read.decode("utf-8")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("CI", "JPY_PARENT_PID", "COLAB_RELEASE_TAG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_a_line_says_what_goes_on_how_far_it_is_and_how_long_it_took() -> None:
    text = rendered(Progress("measuring", 12, 30, 38.23), 61, 80, Style())
    assert re.fullmatch(r"trainlint measuring step 12 of 30 [━╸╺]+ +38\.2 ms a step 1:01", text.rstrip())


def test_a_line_is_never_wider_than_the_terminal() -> None:
    progress = Progress("after the window, while waits inside of operators were looked for", 1, 2, 12345.6)
    for columns in (20, 40, 69, 70, 200):
        assert len(rendered(progress, 61, columns, Style())) < columns


def test_a_line_of_ascii_has_no_bar() -> None:
    assert rendered(Progress("measuring", 12, 30), 5, 80, Style(unicode=False)).isascii()


def test_the_terminal_is_given_back_as_it_was(terminal: Terminal, tmp_path: Path) -> None:
    with terminal.stream() as stream, live_line(stream, tmp_path, wanted=True) as show:
        show()
        stream.write("the script's own line\n")
    text = terminal.written()
    assert OURS.sub("", text) == f"{OPENED}the script's own line\r\n"
    assert "\x1b[1;23r" in text  # all rows but the last one scroll
    assert text.endswith("\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8")  # all rows scroll, and the last one is empty


def test_the_line_moves_where_the_terminal_gets_smaller(terminal: Terminal, tmp_path: Path) -> None:
    with terminal.stream() as stream, live_line(stream, tmp_path, wanted=True) as show:
        show()
        terminal.resize(10, 80)
        show()
    text = terminal.written()
    assert text.index("\x1b[1;23r") < text.index("\x1b[1;9r\x1b[10;1H")


def test_nothing_is_written_twice(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainlint_probe.live.line.monotonic", lambda: 1.0)
    with terminal.stream() as stream, live_line(stream, tmp_path, wanted=True) as show:
        for _ in range(5):
            show()
    assert terminal.written().count("starting") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda patch, terminal: patch.setenv("TERM", "dumb"),
        lambda patch, terminal: patch.setenv("CI", "true"),
        lambda patch, terminal: terminal.resize(3, 80),
    ],
)
def test_no_line_where_the_terminal_cannot_keep_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch, Terminal], None]
) -> None:
    with terminal.stream() as stream:
        assert can_show(stream, os.environ)
        change(monkeypatch, terminal)
        assert not can_show(stream, os.environ)
    assert terminal.written() == ""


def test_no_line_where_there_is_no_terminal_or_it_is_not_wanted(terminal: Terminal, tmp_path: Path) -> None:
    with live_line(StringIO(), tmp_path, wanted=True) as show:
        show()
    with terminal.stream() as stream, live_line(stream, tmp_path, wanted=False) as show:
        show()
    assert terminal.written() == ""


def test_what_was_told_can_be_read_again(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    write_progress(Progress("measuring", 1, 30, 2.5), tmp_path)
    assert read_progress(tmp_path) == Progress("measuring", 1, 30, 2.5)
    write_progress(Progress("measuring", 2, 30, 2.5), tmp_path / "not there")


@pytest.mark.slow  # a training in a process of its own
def test_a_run_shows_its_progress_and_leaves_the_scripts_output_alone(
    runner: Runner, terminal: Terminal, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    words = ["--warmup", "3", "--steps", "300", "--no-overlay", "--output-format", "json", "-o", str(report)]
    command = [sys.executable, "-m", "trainlint", "probe", "--device", "cpu", *words, str(SCRIPTS / "chatty.py")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal.theirs, text=True, check=False, timeout=180)
    text = terminal.written()
    assert done.returncode == 0, text
    ours = "".join(OURS.findall(text))
    assert re.search(r"measuring step \d+ of 300", ours)
    assert "after the window" in ours
    theirs = [*OURS.sub("", text).removeprefix(OPENED).split("\r\n"), *done.stdout.splitlines()]
    for stream in ("output stream", "error stream"):
        told = [line for line in theirs if line.startswith(stream)]
        assert told[:300] == [f"{stream} {number}" for number in range(300)]
    written = report.read_text(encoding="utf-8")
    assert "\x1b" not in done.stdout + written
    document = json.loads(written)
    assert document["profile"]["operators"]["rows"]
    assert document["profile"]["modules"]["rows"][0]["path"] == "Linear"
    assert document["lines"]
    assert document["reading"] is None  # what a trace of the host shows is left to the measured steps
