"""The real program, run in a process of its own on a temporary directory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import forked
from tests.environments import REPOSITORY, install_trainlint, new_environment, python_of
from tests.signals import ctrl_c_is_heard

TOY_PACK = Path(__file__).parent / "toy_pack"
SETTINGS_OF_OUR_OWN = ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PYTHONPATH")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Program:
    """`trainlint` in a directory, in a process of its own: forked for each call, where nothing speaks against it."""

    directory: Path
    environment: Mapping[str, str]
    python: str = sys.executable

    def command(self, *arguments: str, program: tuple[str, ...] = ("-m", "trainlint")) -> list[str]:
        """What is run, for tests that start it themselves."""
        return [self.python, *program, *arguments]

    def __call__(self, *arguments: str, stdin: bytes = b"", program: tuple[str, ...] = ("-m", "trainlint")) -> Result:
        command = self.command(*arguments, program=program)
        if command[:3] == [sys.executable, "-m", "trainlint"]:
            done = forked.run(command[3:], self.directory, self.environment, stdin)
            return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=dict(self.environment),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it to be interrupted, or to run beside others."""
        with ctrl_c_is_heard():
            return subprocess.Popen(
                self.command(*arguments),
                cwd=self.directory,
                env=dict(self.environment),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )


class ToyProgram(Program):
    """The same with a visitor's rule pack, named on the command line."""

    def command(self, *arguments: str, program: tuple[str, ...] = ("-m", "trainlint")) -> list[str]:
        """What is run; commands that know rules are told of the pack."""
        if arguments and arguments[0] in ("check", "why", "rules", "explain"):
            arguments = (arguments[0], "--plugin", str(TOY_PACK / "trainlint_toys"), *arguments[1:])
        return super().command(*arguments, program=program)


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in SETTINGS_OF_OUR_OWN}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """trainlint as it is installed, in an empty directory."""
    directory = tmp_path / "project"
    directory.mkdir()
    return Program(directory, clean_environment())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start Python for each call of the program, as what it does then is part of what is tested."""
    monkeypatch.setattr(forked, "AVAILABLE", False)


@pytest.fixture
def toys(program: Program) -> ToyProgram:
    """trainlint with a visitor's rule pack beside its own."""
    return ToyProgram(program.directory, program.environment)


@pytest.fixture
def installed_toys(program: Program, tmp_path: Path) -> Program:
    """trainlint with that pack as an installed distribution, in an environment of its own."""
    roots = (REPOSITORY, REPOSITORY / "rules", REPOSITORY / "runtime_probe", Path(sysconfig.get_path("purelib")))
    site = new_environment(tmp_path / "environment", *roots)
    install_trainlint(site)
    shutil.copytree(TOY_PACK / "trainlint_toys", site / "trainlint_toys")
    information = site / "trainlint_toys-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: trainlint-toys\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[trainlint.rules]\ntoys = trainlint_toys\n")
    # The list of rules is kept with the bytecode. That of this checkout serves tests that run at the same time.
    own_bytecode = {**program.environment, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    return Program(program.directory, own_bytecode, python_of(site))


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
