"""How far a long run is: shown at a terminal after a while, taken away at the end, and nowhere else."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from itertools import count
from typing import TYPE_CHECKING

import pytest

from trainlint.cli.at_terminal import progress as module
from trainlint.cli.at_terminal.progress import progress

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """stderr as a terminal, and a clock that goes on by 0.4 s each time somebody looks at it."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    ticks = count()
    monkeypatch.setattr(module, "monotonic", lambda: next(ticks) * 0.4)
    return stream


def test_a_run_that_ends_within_a_second_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with progress() as told:
        assert told is not None
        told("reading files", 1, 2)
        told("reading files", 2, 2)
    assert terminal.getvalue() == ""


def test_a_longer_one_shows_what_it_does_and_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with progress() as told:
        assert told is not None
        for done in range(1, 6):
            told("reading files", done, 5)
        assert "reading files" in terminal.getvalue()
        assert "5/5" in terminal.getvalue()
        told("judging files", 1, 7)
        assert "judging files" in terminal.getvalue()
        assert "1/7" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is empty again


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("CI", "true")])
def test_a_terminal_that_keeps_each_line_gets_nothing(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    at_terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    with progress() as told:
        assert told is None


def test_neither_does_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    at_terminal(monkeypatch)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress() as told:
        assert told is None


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_real_run_tells_how_far_it_is(program: Program, write: Write, jobs: str) -> None:
    functions = [f"def work{number}(x):\n    return torch.relu(x) + {number}\n" for number in range(9)]
    for number in range(40):
        write(f"part{number}.py", "import torch\n\n\n" + "\n\n".join(functions))
    command = (
        "import trainlint.cli.at_terminal.progress as p; p.AFTER = p._EVERY = 0.0; from trainlint.cli import main; "
        "import sys; sys.exit(main())"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        program.command("check", "--no-cache", "--jobs", jobs, program=("-c", command)),
        cwd=program.directory,
        env={**program.environment, "TERM": "xterm", "CI": "", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # the other end is closed
    finally:
        os.close(ours)
    out, _ = process.communicate(timeout=100)
    assert out.startswith(b"All clear: none of 40 files trains, and none of ")
    assert b"judging files" in shown
    assert b"40/40" in shown
