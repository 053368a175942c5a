"""The real program, run in a process of its own on a temporary directory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

TOY_PACK = Path(__file__).parent / "toy_pack"
SETTINGS_OF_OUR_OWN = ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PYTHONPATH")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Program:
    """`trainlint` in a directory."""

    directory: Path
    environment: Mapping[str, str]

    def __call__(self, *arguments: str, stdin: bytes = b"", program: tuple[str, ...] = ("-m", "trainlint")) -> Result:
        done = subprocess.run(
            [sys.executable, *program, *arguments],
            cwd=self.directory,
            env=dict(self.environment),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "trainlint", *arguments],
            cwd=self.directory,
            env=dict(self.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in SETTINGS_OF_OUR_OWN}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """trainlint as it is installed, in an empty directory."""
    directory = tmp_path / "project"
    directory.mkdir()
    return Program(directory, clean_environment())


@pytest.fixture
def toys(program: Program, tmp_path: Path) -> Program:
    """trainlint with a visitor's rule pack installed beside its own."""
    installed = tmp_path / "site"
    information = installed / "trainlint_toys-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: trainlint-toys\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[trainlint.rules]\ntoys = trainlint_toys\n")
    path = os.pathsep.join((str(installed), str(TOY_PACK)))
    return Program(program.directory, {**program.environment, "PYTHONPATH": path})


Write = Callable[..., Path]


@pytest.fixture
def write(program: Program) -> Write:
    """Write a file of the project: text, or bytes as they are. Code speaks of torch unless it is told not to."""

    def write(name: str, content: str | bytes = "import torch\n") -> Path:
        path = program.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
