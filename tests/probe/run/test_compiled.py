"""Compiled models: what dynamo did is told with its lines, and it does nothing that it would not do without us."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.probe.run.running import SCRIPTS, Runner, line_of, only
from trainlint.symptoms import Symptom

ALONE = """
import sys

import pytest
import torch
source = open(sys.argv[1]).read().replace("range(500)", "range(30)")
exec(compile(source, sys.argv[1], "exec"))
from torch._dynamo import utils
print("breaks", len(utils.graph_break_reasons), "compiled", len(utils.get_compilation_metrics()))
"""


@pytest.mark.nightly
def test_breaks_and_recompiles_are_those_of_the_script_alone(runner: Runner) -> None:
    command = [sys.executable, "-c", ALONE, str(SCRIPTS / "compiled.py")]
    alone = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()
    run = only(runner.run("compiled", steps=12))
    broken = [item for item in run.seen if item.symptom is Symptom.GRAPH_BREAK]
    assert {item.at.line for item in broken} == {line_of("compiled", "# breaks")}
    assert sum(item.calls for item in broken) == int(alone[1])
    again = [item for item in run.seen if item.symptom is Symptom.RECOMPILE]
    assert all(item.at.path.endswith("compiled.py") for item in again)
    assert any("size mismatch" in item.details["reason"] for item in again)
    assert all((item.host_ms or 0) > 0 for item in again)
