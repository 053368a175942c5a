"""The examples: their README names what trainlint says, line for line, and they train before and after the fixes."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "examples"
PLANTED = set(
    "TRN101 TRN102 TRN103 TRN201 TRN202 TRN203 TRN204 TRN205 TRN207 TRN301 TRN303 TRN304 TRN401 TRN406 TRN501 TRN509 "
    "TRN801".split()
)
ROW = re.compile(r"\| `(?P<file>[\w.]+):(?P<line>\d+)` \| (?P<code>TRN\d{3}) \| (?P<message>.+?) \|\n")
TRAINING = {"train.py": ["--steps", "3", "--log-interval", "1"], "train_ddp.py": ["--steps", "3", "--size", "tiny"]}


def run(*words: str, cwd: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])  # other trainings may run on this machine at the same time
    env = {**os.environ, "MASTER_PORT": port}
    return subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


def check(*words: str, cwd: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    return forked.run_text(["check", *words], cwd)


def reported() -> list[tuple[str, int, str, str]]:
    """What trainlint says of the examples: file, line, code, message with help."""
    checked = check("examples", "--output-format", "json", "--exit-zero")
    assert checked.returncode == 0, checked.stderr
    return [
        (
            Path(finding["path"]).name,
            finding["span"]["start_line"],
            finding["code"],
            "; ".join(filter(None, (finding["message"], finding["help"]))),
        )
        for finding in json.loads(checked.stdout)["findings"]
    ]


def test_the_readme_names_every_finding_and_no_other() -> None:
    rows = ROW.finditer((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    named = [(row["file"], int(row["line"]), row["code"], row["message"]) for row in rows]
    assert sorted(named) == sorted(reported())


def test_every_rule_of_the_first_slice_has_its_example() -> None:
    assert {code for _, _, code, _ in reported()} == PLANTED


@pytest.mark.slow
@pytest.mark.parametrize("script", TRAINING)
def test_safe_fixes_leave_training_as_it_was(script: str, tmp_path: Path) -> None:
    fixed = shutil.copytree(EXAMPLES, tmp_path / "examples")
    applied = check("--fix", "--exit-zero", "--quiet", ".", cwd=fixed)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert (fixed / script).read_text(encoding="utf-8") != (EXAMPLES / script).read_text(encoding="utf-8")

    before, after = (run(script, "--device", "cpu", *TRAINING[script], cwd=folder) for folder in (EXAMPLES, fixed))
    assert before.returncode == 0, before.stderr
    assert after.stdout == before.stdout
    assert "step 3: loss" in after.stdout


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("script", TRAINING)
def test_with_all_fixes_the_examples_still_train(script: str, tmp_path: Path) -> None:
    fixed = shutil.copytree(EXAMPLES, tmp_path / "examples")
    applied = check("--fix", "--unsafe-fixes", "--exit-zero", "--quiet", ".", cwd=fixed)
    assert applied.returncode == 0, applied.stdout + applied.stderr

    trained = run(script, "--device", "cpu", *TRAINING[script], cwd=fixed)
    assert trained.returncode == 0, trained.stderr
    assert "step 3: loss" in trained.stdout
