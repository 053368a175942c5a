"""Limits of what the server for agents starts."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from trainlint.agent_server import running
from trainlint.agent_server.running import LONGEST, TIMED_OUT, answer_of


def test_a_command_that_takes_too_long_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "written"
    late = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(trace)!r}).touch()"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {late!r}])"
    monkeypatch.setattr(running, "_PROGRAM", program)
    answer = asyncio.run(answer_of(["check"], seconds=0.5))
    assert (answer.code, "took more than 0.5 s" in answer.text) == (TIMED_OUT, True)
    time.sleep(1.5)
    assert not trace.exists()


def test_a_long_answer_is_cut_at_a_line_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_PROGRAM", "print('a line\\n' * 100_000)")
    text = asyncio.run(answer_of(["check"], seconds=60)).text
    assert len(text) < LONGEST + 200
    assert text.splitlines()[-3] == "a line"
    assert "Name fewer paths" in text


def test_no_file_of_the_working_directory_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("trainlint", "libcst", "argparse", "ast"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "train.py").write_text("import torch\n")
    monkeypatch.chdir(tmp_path)
    answer = asyncio.run(answer_of(["check", "train.py"], seconds=60))
    assert (answer.code, "imported" in answer.text) == (0, False)
