"""Ctrl-C, SIGTERM: the program ends at once, says at most one sentence, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

MODULE = "import torch\nfrom part{next} import work as work{next}\n\n\n" + "".join(
    f"def work{index}(x):\n    y = torch.relu(x)\n    return y + work{index}(y)\n\n\n" for index in range(200)
)


def children(process: subprocess.Popen[bytes]) -> list[str]:
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def end(running: subprocess.Popen[bytes], how: signal.Signals) -> tuple[int, bytes, str]:
    """Send a signal as a terminal (Ctrl-C, to all) or a service manager (SIGTERM, to the main process) does."""
    if how is signal.SIGINT:
        os.killpg(running.pid, how)
    else:
        running.send_signal(how)
    out, error = running.communicate(timeout=120)  # a rule that sleeps would do so for ten minutes
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)
    return running.returncode, out, error.decode()


INTERRUPTED = (130, b"", "trainlint: interrupted\n")
TERMINATED = (-signal.SIGTERM, b"", "")
ENDS = [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)]


@pytest.mark.parametrize(("how", "result"), ENDS, ids=["Ctrl-C", "SIGTERM"])
def test_while_files_are_summarised(
    program: Program, write: Write, how: signal.Signals, result: tuple[int, bytes, str]
) -> None:
    for index in range(100):
        write(f"part{index}.py", MODULE.format(next=(index + 1) % 100))
    running = program.start("check", "--jobs", "2")
    while len(children(running)) < 2:
        assert running.poll() is None
        time.sleep(0.005)
    assert end(running, how) == result


@pytest.mark.parametrize(("how", "result"), ENDS, ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_while_files_are_judged(
    toys: Program, write: Write, jobs: str, how: signal.Signals, result: tuple[int, bytes, str], tmp_path: Path
) -> None:
    write("a.py", "sleep()  # torch\n")
    write("b.py", "sleep()  # torch\n")
    asleep = tmp_path / "asleep"
    running = type(toys)(toys.directory, {**toys.environment, "TOY_ASLEEP": str(asleep)}).start("check", "-j", jobs)
    while not asleep.exists():
        assert running.poll() is None
        time.sleep(0.02)
    assert len(children(running)) == (0 if jobs == "1" else 2)
    assert end(running, how) == result
