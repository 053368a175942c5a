"""Runs scripts under the simulated GPU in environments of their own, and `trainlint check` on the libraries."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.truth.compare import Flag
from benchmarks.truth.record import Record, from_json
from benchmarks.truth.scripts_of import Script

ROOT = Path(__file__).parents[2]
TORCH = "torch==2.13.0"
_OURS = ("libcst>=1.9", "rich>=13.3.5", "packaging>=22", "platformdirs>=4", "pyyaml>=6", "jinja2>=3.1", "numpy")
"""What trainlint's own modules need in the environment of a script."""
PATIENCE_S = 600.0
"""Seconds that a script may take."""


class NotRun(Exception):
    """A script or a check came to nothing; the message says why."""


def environment_for(requires: Sequence[str], directory: Path) -> Path:
    """The Python of an environment with these requirements, made where it is not there yet. Raises NotRun."""
    wanted = (TORCH, *_OURS, *requires)
    home = directory / hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:12]
    python = home / "bin" / "python"
    done = home / "complete"
    if not done.exists():
        venv.create(home, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", *wanted]
        if (ended := subprocess.run(command, check=False, capture_output=True, text=True)).returncode:
            raise NotRun(f"{' '.join(requires)} cannot be installed: {_end(ended.stderr)}")
        done.touch()
    return python


def record_of(script: Script, python: Path) -> Record:
    """What a run of the script shows. Raises NotRun."""
    with tempfile.TemporaryDirectory(prefix="trainlint-truth-") as directory:
        output = Path(directory) / "record.json"
        path = os.pathsep.join(map(str, (ROOT, ROOT / "runtime_probe", ROOT / "rules")))
        # Downloads would make the truth hang on somebody else's server.
        settings = {"PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": ""}
        command = [str(python), "-m", "benchmarks.truth.recording", str(script.path), str(output), *script.packages]
        try:
            ended = subprocess.run(
                command,
                cwd=directory,
                env={**os.environ, **settings},
                check=False,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            raise NotRun(f"it took more than {PATIENCE_S:g} s") from None
        if not output.exists():
            raise NotRun(_end(ended.stderr))
        return from_json(json.loads(output.read_text("utf-8")))


def flags_in(packages: Mapping[str, str], trainlint: Path | None = None) -> tuple[Flag, ...]:
    """The findings at every level in copies of some packages, each judged as a project. Raises NotRun.

    Args:
        packages: the name of each → where it lies.
        trainlint: the program of another version, to compare it with; None is this one.
    """
    program = [str(trainlint)] if trainlint else [sys.executable, "-m", "trainlint"]
    with tempfile.TemporaryDirectory(prefix="trainlint-truth-") as directory:
        for place in map(Path, packages.values()):
            if place.is_dir():
                shutil.copytree(place, Path(directory) / place.name, ignore=shutil.ignore_patterns("*.so", "*.pyc"))
            else:
                shutil.copy(place, directory)
        default = _findings(program, directory)
        everything = _findings(program, directory, "--select", "ALL", "--preview", "--min-confidence", "unlikely")
    shown = {_place(item) for item in default}
    return tuple(
        Flag(path, first, last, code, is_default=(path, first, last, code) in shown)
        for path, first, last, code in sorted({*map(_place, everything), *shown})
    )


def _findings(program: Sequence[str], directory: str, *options: str) -> Sequence[Mapping[str, object]]:
    command = [*program, "check", ".", "--isolated", "--output-format", "json", *options]
    ended = subprocess.run(command, cwd=directory, check=False, capture_output=True, text=True)
    try:
        found: list[Mapping[str, object]] = json.loads(ended.stdout)["findings"]
    except (ValueError, KeyError):
        raise NotRun(f"trainlint gave no report: {_end(ended.stderr)}") from None
    return found


def _place(finding: Mapping[str, object]) -> tuple[str, int, int, str]:
    span = finding["span"]
    assert isinstance(span, dict), "as the JSON schema says"
    return str(finding["path"]), span["start_line"], span["end_line"], str(finding["code"])


def _end(text: str) -> str:
    """The last line, which says what went wrong."""
    return (text.strip().splitlines() or ["it said nothing"])[-1][:300]
