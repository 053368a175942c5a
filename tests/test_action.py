"""The GitHub action: its check step, run by bash as a runner would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the action's steps are written for bash")


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's temporary folder, in which the install step has left the command."""
    command = tmp_path / "trainlint" / "bin" / "trainlint"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trainlint "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def run_check_step(runner: Path, paths: str, arguments: str = "") -> subprocess.CompletedProcess[str]:
    _, check = ACTION["runs"]["steps"]
    given = {"${{ inputs.paths }}": paths, "${{ inputs.arguments }}": arguments}
    environment = {name: given[value] for name, value in check["env"].items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]],
        cwd=PROJECT,
        env={**os.environ, **environment, "RUNNER_TEMP": str(runner)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_findings_become_annotations(runner: Path) -> None:
    checked = run_check_step(runner, "examples", "--isolated")
    assert checked.returncode == 1, checked.stderr
    assert "::warning file=examples/train.py,line=" in checked.stdout


def test_several_paths_and_arguments_arrive(runner: Path) -> None:
    checked = run_check_step(runner, "examples/data.py examples/train_ddp.py", "--isolated --select TRN501")
    assert checked.returncode == 1, checked.stderr
    assert "file=examples/train_ddp.py" in checked.stdout
    assert "file=examples/train.py" not in checked.stdout


@pytest.mark.slow
def test_installing_imports_nothing_of_the_repository(tmp_path: Path) -> None:
    checkout, runner_temp, ran = tmp_path / "checkout", tmp_path / "temp", tmp_path / "ran"
    for folder in (checkout, runner_temp):
        folder.mkdir()
    for name in ("venv", "ensurepip", "pip", "logging", "typing", "platform"):
        (checkout / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write(__name__)\n")
    install, _ = ACTION["runs"]["steps"]
    environment = {"RUNNER_TEMP": str(runner_temp), "GITHUB_ACTION_PATH": str(tmp_path / "nowhere")}
    installed = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", install["run"]],
        cwd=checkout,
        env={**os.environ, **environment, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "nowhere" in installed.stderr, "pip was started, and finds nothing to install"
    assert (runner_temp / "trainlint/bin/python").exists()
    assert not ran.exists()


def test_every_input_is_used() -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"${{{{ inputs.{name} }}}}" in text
