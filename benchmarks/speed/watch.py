"""`python -m benchmarks.speed.watch`: how long after a file is saved the report of `trainlint check --watch` is there.

A made-up project of so many files, in groups of files that call each other; each tenth file holds a training step.
One file is changed over and over, and with it what its whole group is told. The time is taken from just before the file
is written to the last line of the report. The first run, which fills the cache, is not counted.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAIN = """\
import torch

from pkg.part{next} import work as following


def work(loss, step):
    value = torch.relu(loss)
    return following(value, step) if step % 7 == 0 else value
"""
STEP = """\
import torch

from pkg.part{next} import work


def train(model, loader, optimizer):
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        loss = work(model(batch.cuda()), step)
        loss.backward()
        optimizer.step()
"""


def write_project(folder: Path, files: int, group: int) -> Path:
    """Write the project, and return the file that is changed."""
    package = folder / "pkg"
    package.mkdir()
    (folder / "pyproject.toml").write_text("")
    for number in range(files):
        text = STEP if number % 10 == 0 else PLAIN
        following = number - number % group + (number + 1) % group
        (package / f"part{number}.py").write_text(text.format(next=following % files))
    return package / "part1.py"


def latencies(folder: Path, changed: Path, times: int) -> tuple[list[float], list[float]]:
    """Seconds from each change to its whole report: by the clock, and of the processor."""
    command = [sys.executable, "-m", "trainlint", "check", "--watch", "--output-format", "concise", "--isolated"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    clock: list[float] = []
    processor: list[float] = []
    before = changed.read_text()
    started = used = 0.0
    try:
        for number in range(times + 1):
            for line in process.stdout:
                if line.startswith("Watching"):
                    break
            if number:
                clock.append(time.perf_counter() - started)
                processor.append(cpu_seconds(process.pid) - used)
            started, used = time.perf_counter(), cpu_seconds(process.pid)
            changed.write_text(f"{before}\n\ndef added_{number}(loss):\n    return loss.item()\n")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    return clock, processor


def cpu_seconds(process: int) -> float:
    """Processor time of a process so far, as Linux counts it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measure and print one line."""
    parser = argparse.ArgumentParser(description="How long after a file is saved the report of --watch is there.")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--group", type=int, default=20, help="files that call each other; one change is told to all")
    parser.add_argument("--times", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock, processor = latencies(folder, write_project(folder, arguments.files, arguments.group), arguments.times)
    by_clock = f"{statistics.median(clock):.2f} s by the clock (from {min(clock):.2f} to {max(clock):.2f})"
    sys.stdout.write(
        f"{arguments.files} files in groups of {arguments.group}, {len(clock)} changes: median {by_clock}, "
        f"{statistics.median(processor):.2f} s of the processor\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
