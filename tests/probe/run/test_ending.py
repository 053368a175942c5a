"""However a probe ends, it leaves no process behind, and says why in a sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.probe.run.running import SCRIPTS, Runner, only
from tests.signals import ctrl_c_is_heard
from trainlint.cli.console import UsageError
from trainlint_probe.launch import Request, launch
from trainlint_probe.of_run import result_of_run
from trainlint_probe.options import read_options
from trainlint_probe.processes import children

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux which processes are left")

DEAF = """
import signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(600)
"""

SECONDS = f"604.{os.getpid()}"
"""How long the daemon sleeps: no other process sleeps so long, not even one of another run of this test."""
DAEMON = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "{SECONDS}"])
    os._exit(0)
os.wait()
"""


def running(word: str) -> list[int]:
    """The processes that have a word in their command."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(path.parent.name))
    return found


def wait_until_gone(process: int) -> bool:
    """Whether a process ends within half a minute."""
    for _ in range(300):
        if not Path(f"/proc/{process}").exists():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def deaf(runner: Runner) -> Iterator[subprocess.Popen[str]]:
    """A probe of a script that hears no signal, once it runs."""
    (runner.project / "deaf.py").write_text(DEAF)
    command = [sys.executable, "-m", "trainlint", "probe", "--device", "cpu", "deaf.py"]
    with ctrl_c_is_heard():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("Running deaf.py: ")
        assert process.stderr.readline() == "deaf\n"
        yield process
        process.kill()


def test_who_interrupts_twice_does_not_wait(deaf: subprocess.Popen[str]) -> None:
    (script,) = children(deaf.pid)
    deaf.send_signal(signal.SIGINT)
    time.sleep(1)
    assert deaf.poll() is None  # the script has ten seconds to end by itself
    deaf.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, said = deaf.communicate(timeout=60)
    assert time.monotonic() - began < 8
    assert said == "trainlint: interrupted\n"
    assert deaf.returncode == 130
    assert wait_until_gone(script)


def test_a_probe_that_is_told_to_end_ends_its_script(deaf: subprocess.Popen[str]) -> None:
    (script,) = children(deaf.pid)
    deaf.send_signal(signal.SIGTERM)
    deaf.communicate(timeout=60)
    assert deaf.returncode == 128 + signal.SIGTERM
    assert wait_until_gone(script)


def test_a_daemon_ends_with_the_run(runner: Runner) -> None:
    (runner.project / "starts.py").write_text(DAEMON)
    launched = launch(Request("starts.py"), runner.output)
    assert only(launched).outcome == "no step"
    assert running(SECONDS) == []


@pytest.mark.nightly
def test_a_reader_who_has_seen_enough(runner: Runner) -> None:
    """As with `trainlint probe train.py | head -1`."""
    command = [sys.executable, "-m", "trainlint", "probe", "--device", "cpu", "--steps", "3", str(SCRIPTS / "paced.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, said = process.communicate(timeout=120)
    assert b"Traceback" not in said
    assert process.returncode in (0, 1)


def test_where_there_is_no_room_a_sentence_says_so(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file system of a test can be full: what counts as room is raised instead."""
    monkeypatch.setattr("trainlint_probe.launch.LEAST_ROOM", 10**18)
    (runner.project / "leaves.py").write_text("import os; os._exit(1)")
    launched = launch(Request("leaves.py"), runner.output)
    assert launched.runs == ()
    assert launched.fault.startswith(f"{runner.output.parent} is full, and evidence and saved files go there")


def test_windows_is_told_what_works_there(monkeypatch: pytest.MonkeyPatch) -> None:
    options = read_options(["train.py"])
    monkeypatch.setattr("trainlint_probe.launch.sys.platform", "win32")
    with pytest.raises(UsageError, match="are run on Linux and macOS alone; `trainlint probe --trace` judges"):
        result_of_run(options)
