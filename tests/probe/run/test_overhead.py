"""What the probe says that watching costs is what a script takes longer under watch.

pytest tests/probe/run/test_overhead.py
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.probe.run.running import SCRIPTS, Runner, only


@pytest.mark.nightly
def test_the_overhead_that_is_told_is_what_the_script_would_save(runner: Runner) -> None:
    script = str(SCRIPTS / "timed_reads.py")
    alone, watched = runner.project / "alone", runner.project / "watched"
    ratios = []
    for _ in range(3):  # other work may slow one of the two down; it will not do so each time
        subprocess.run([sys.executable, script, str(alone)], check=True, timeout=120)
        run = only(runner.run("timed_reads", str(watched), warmup=5, warmup_limit=5, steps=45))
        ratios.append(run.overhead_ms / (float(watched.read_text()) - float(alone.read_text())))
        if 1 / 2 < ratios[-1] < 2:
            break
    assert 1 / 2 < ratios[-1] < 2, ratios
