"""Judging a repository imports nothing from it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import TOY_PACK
from tests.environments import REPOSITORY
from tests.git_identity import git
from trainlint.import_path import safe_path

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Result, Write

pytestmark = pytest.mark.usefixtures("started")
SHADOWS = (
    "__future__ argparse ast asyncio concurrent/futures dataclasses difflib fnmatch hashlib inspect json "
    "libcst logging multiprocessing pathlib pickle random rich/text secrets shutil signal sqlite3 subprocess tempfile "
    "tokenize tomllib traceback trainlint_probe trainlint_rules typing unicodedata yaml attr"
).split()
"""Modules that trainlint, or what it imports, asks for; `attr` is one that Rich uses where it is installed."""
FIXED = "import torch\nsafe()\n"
TRAINING = "import torch\nfor batch in loader:\n    optimizer.zero_grad()\n    model(batch).backward()\n"


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that is there as soon as a module of the repository has been run."""
    return tmp_path / "marker"


def marking(marker: Path) -> str:
    """A module that says so when it is imported."""
    return f"with open({str(marker)!r}, 'a') as file:\n    file.write(__name__ + ' ')\n"


def plant(folder: Path, marker: Path) -> None:
    """Modules that say so when they are imported."""
    for name in SHADOWS:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(marking(marker))
        if path.parent != folder:
            (path.parent / "__init__.py").write_text(marking(marker))


def metadata(folder: Path, marker: Path) -> None:
    """A checkout's own metadata, which names its modules as a rule pack and as commands."""
    for name in ("evil.egg-info", "evil-1.0.dist-info"):
        (folder / name).mkdir()
        (folder / name / "entry_points.txt").write_text(
            "[trainlint.rules]\nevil = evil_rules\n\n[trainlint.commands]\nprobe = evil_rules:main\n"
        )
    (folder / "evil_rules.py").write_text(marking(marker))


def was_run(marker: Path) -> str:
    return marker.read_text() if marker.exists() else ""


ENTRIES = {
    "python -m trainlint": (("-m", "trainlint"), None),
    "python -m trainlint, PYTHONPATH=.": (("-m", "trainlint"), "."),
    "trainlint, PYTHONPATH=.": (("-c", "import sys; from trainlint.cli import main; sys.exit(main())"), "."),
    "trainlint, PYTHONPATH=src": (("-c", "import sys; from trainlint.cli import main; sys.exit(main())"), "src"),
    "trainlint, PYTHONPATH=/the/whole/path": ((str(Path(sysconfig.get_path("scripts")) / "trainlint"),), "ABSOLUTE"),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--fix", "--no-cache"),
        ("check", "--output-format", "sarif"),
        ("check", "--jobs", "2", "--color", "always"),
        ("why", "fixed.py:2"),
        ("rules",),
        ("explain", "TRN201"),
    ],
    ids=" ".join,
)
def test_modules_of_the_repository_are_not_imported(
    program: Program, write: Write, marker: Path, entry: str, arguments: tuple[str, ...]
) -> None:
    write("trainlint.toml", "")
    write("fixed.py", FIXED)
    write("train.py", TRAINING)
    for folder in (program.directory, program.directory / "src"):
        folder.mkdir(exist_ok=True)
        plant(folder, marker)
        metadata(folder, marker)
    how, path = ENTRIES[entry]
    if how[0].endswith("trainlint") and not Path(how[0]).exists():
        pytest.skip("there is no such script where trainlint is not installed")
    path = str(program.directory / "src") if path == "ABSOLUTE" else path
    environment = {**program.environment, **({"PYTHONPATH": path} if path else {})}
    result = type(program)(program.directory, environment)(*arguments, program=how)
    assert was_run(marker) == ""
    assert result.code in (0, 1), result


def test_neither_are_those_of_a_repository_that_is_named(program: Program, tmp_path: Path, marker: Path) -> None:
    """PYTHONPATH names a folder of the project around a file on the command line."""
    other = tmp_path / "other"
    plant(other / "src", marker)
    (other / "pyproject.toml").write_text("")
    (other / "train.py").write_text(TRAINING)
    elsewhere = type(program)(program.directory, {**program.environment, "PYTHONPATH": str(other / "src")})
    assert elsewhere("check", str(other / "train.py"), "--no-cache").code in (0, 1)
    assert was_run(marker) == ""


@pytest.mark.parametrize(
    "command", ["check --no-cache {}", "why {}:4", "check --no-cache --config={}/../trainlint.toml {}"]
)
@pytest.mark.parametrize("home", [True, False], ids=["it is HOME", "it is not HOME"])
def test_nor_of_one_that_is_home_or_is_named_within_a_word(
    program: Program, tmp_path: Path, marker: Path, home: bool, command: str
) -> None:
    """CI may set HOME and PYTHONPATH to the checkout. `why` takes a path with a line."""
    other = tmp_path / "other"
    plant(other, marker)
    (other / ".git").mkdir()
    (other / "scripts").mkdir()
    (other / "trainlint.toml").write_text("")
    (other / "scripts/train.py").write_text(TRAINING)
    variables = {**program.environment, "PYTHONPATH": str(other), **({"HOME": str(other)} if home else {})}
    elsewhere = type(program)(program.directory, variables)
    words = command.replace("{}/..", str(other)).replace("{}", str(other / "scripts/train.py")).split()
    assert elsewhere(*words).code in (0, 1)
    assert was_run(marker) == ""


@pytest.mark.slow
def test_doctor_imports_nothing_and_runs_no_program_of_the_repository(
    program: Program, tmp_path: Path, marker: Path
) -> None:
    plant(program.directory, marker)
    for name in ("platform", "torch"):
        (program.directory / f"{name}.py").write_text(marking(marker))
    git(program.directory, "init", "-q")
    git(program.directory, "commit", "-q", "--allow-empty", "-m", "x")
    ran = tmp_path / "ran"
    monitor = program.directory / ".git" / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {ran}\n")
    monitor.chmod(0o755)
    git(program.directory, "config", "core.fsmonitor", str(monitor))

    said = program("doctor")

    assert said.code in (0, 1), said.err
    assert "git commit" in said.out
    assert was_run(marker) == ""
    assert not ran.exists()


def test_metadata_in_a_folder_of_pythonpath_brings_no_pack(program: Program, tmp_path: Path, marker: Path) -> None:
    """Even outside of what is judged: an installer puts nothing there."""
    folder = tmp_path / "libraries"
    folder.mkdir()
    metadata(folder, marker)
    elsewhere = type(program)(program.directory, {**program.environment, "PYTHONPATH": str(folder)})
    assert elsewhere("rules").code == 0
    assert elsewhere("probe", "--help").code == 0
    assert was_run(marker) == ""


def test_an_installed_pack_and_an_editable_one_are_found(installed_toys: Program, write: Write) -> None:
    write("fixed.py", FIXED)
    result = installed_toys("check", "--output-format", "concise")
    assert "TOY101" in result.out
    site = next((Path(installed_toys.python).parents[1] / "lib").glob("python*")) / "site-packages"
    (site / "trainlint_toys").rename(installed_toys.directory / "trainlint_toys")
    (site / "editable.pth").write_text(f"{installed_toys.directory}\n")
    assert "TOY101" in installed_toys("check", "fixed.py", "--output-format", "concise").out


@pytest.mark.skipif("sys.version_info < (3, 11)", reason="Python 3.10 starts no processes anew")
def test_workers_that_start_anew_import_nothing_of_it_either(program: Program, marker: Path) -> None:
    """Where processes cannot be forked, their own start would look in the working directory."""
    plant(program.directory, marker)
    code = """
import sys
sys.path.pop(0)  # the working directory, by PYTHONPATH: this process stands for one that has protected its imports
import threading, time
from functools import partial
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
from tests.security.test_imports import pool_of_two
pool_of_two()
"""
    environment = {**program.environment, "PYTHONPATH": os.pathsep.join((".", str(REPOSITORY)))}
    command = [sys.executable, "-P", "-c", code.replace('sys.path.remove("")', "sys.path.pop(0)")]
    done = subprocess.run(command, cwd=program.directory, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "['SpawnProcess', 'SpawnProcess']\n", done.stderr
    assert was_run(marker) == ""


def pool_of_two() -> None:
    """What the test above runs: two workers of a process with two threads."""
    from trainlint.engine.pool.worker_pool import WorkerPool

    assert threading.active_count() == 2
    with WorkerPool(2, at_once=True) as pool:
        names = [type(worker.process).__name__ for worker in pool._workers.values()]
    sys.stdout.write(f"{names}\n")


class TestPath:
    """Which entries stay."""

    LIBRARY = str(Path(os.__file__).parent)

    def left(self, path: list[str], here: Path, python_path: str = "") -> list[str]:
        return safe_path([*path, self.LIBRARY], str(here), [str(here)], python_path)[:-1]

    def test_the_working_directory_goes_under_all_its_names(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to("real")
        names = ["", ".", str(tmp_path / "real"), str(tmp_path / "link"), str(tmp_path / "real" / "src")]
        assert self.left(names, tmp_path / "real") == []

    def test_the_project_around_goes(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").touch()
        (tmp_path / "inner").mkdir()
        assert self.left([str(tmp_path), str(tmp_path / "src")], tmp_path / "inner") == []

    def test_relative_entries_of_pythonpath_go_wherever_they_lead(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        assert self.left([str(tmp_path)], tmp_path / "inner", "..") == []
        assert self.left([str(tmp_path)], tmp_path / "inner", str(tmp_path)) == [str(tmp_path)]

    def test_what_installers_wrote_stays_and_what_they_named(self, tmp_path: Path) -> None:
        site = sysconfig.get_path("purelib")
        assert self.left([site, str(REPOSITORY), str(REPOSITORY / "rules")], REPOSITORY) == [
            site,
            str(REPOSITORY),
            str(REPOSITORY / "rules"),
        ]
        path = [str(tmp_path), self.LIBRARY, site, str(tmp_path)]
        assert safe_path(path, str(tmp_path), [str(tmp_path)], "") == path[1:]


class TestPlugin:
    """`--plugin` names what is to be imported all the same."""

    PACK = str(TOY_PACK / "trainlint_toys")

    def run(self, program: Program, *arguments: str) -> Result:
        return program(*arguments, "--output-format", "concise")

    def test_a_package_by_its_path(self, program: Program, write: Write) -> None:
        write("fixed.py", FIXED)
        assert "TOY101" in self.run(program, "check", "--plugin", self.PACK).out
        assert "TOY101" in self.run(program, "check", "--plugin", self.PACK, "--jobs", "2").out
        assert "TOY101" not in self.run(program, "check").out
        assert program("explain", "TOY101", "--plugin", self.PACK).code == 0
        assert "TOY101" in program("rules", "--plugin", self.PACK).out
        assert "TOY101" in program("why", "fixed.py:2", "--plugin", self.PACK).out

    def test_a_module_by_its_name_and_a_file_by_its_path(self, program: Program, write: Write, tmp_path: Path) -> None:
        write("fixed.py", FIXED)
        file = tmp_path / "libraries" / "acme_rules.py"
        file.parent.mkdir()
        file.write_text((TOY_PACK / "trainlint_toys/calls.py").read_text())
        assert "TOY101" in self.run(program, "check", "--plugin", str(file)).out
        by_name = type(program)(program.directory, {**program.environment, "PYTHONPATH": str(file.parent)})
        assert "TOY101" in self.run(by_name, "check", "--plugin", "acme_rules").out

    def test_what_lies_beside_it_is_not_found(self, program: Program, write: Write, marker: Path) -> None:
        plant(program.directory, marker)
        write("acme_beside.py", marking(marker))
        write("acme_rules.py", "import acme_beside\n")
        result = program("check", "--plugin", "./acme_rules.py")
        assert result.code == 2
        assert "No module named 'acme_beside'" in result.err
        assert was_run(marker) == ""

    def test_a_plugin_that_changes_is_asked_anew(self, program: Program, write: Write) -> None:
        write("fixed.py", FIXED)
        plugin = write("acme_rules.py", (TOY_PACK / "trainlint_toys/calls.py").read_text())
        first = self.run(program, "check", "fixed.py", "--plugin", "./acme_rules.py")
        assert self.run(program, "check", "fixed.py", "--plugin", "./acme_rules.py").out == first.out
        # Another length, too: Python takes bytecode for that of a file of the same second and size.
        plugin.write_text(plugin.read_text().replace("TOY101", "TOY191") + "# changed\n")
        assert "TOY191" in self.run(program, "check", "fixed.py", "--plugin", "./acme_rules.py").out
        assert "TOY1" not in self.run(program, "check", "fixed.py").out

    def test_a_configuration_cannot_name_one(self, program: Program, write: Write) -> None:
        write("trainlint.toml", f'plugin = ["{self.PACK}"]\n')
        write("fixed.py", FIXED)
        result = program("check")
        assert (result.code, "unknown key" in result.out + result.err) == (2, True)

    @pytest.mark.parametrize(
        ("named", "words"),
        [
            ("fixed", "Python finds no module of this name outside of the code that is judged"),
            ("./nowhere", "there is no such .py file, and no such directory with an __init__.py"),
            ("./fixed.py", "it holds no rule"),
            ("./json.py", "there is another module named 'json'"),
            ("./odd-name.py", "cannot be the name of a module"),
            ("./broken.py", "does not import (SyntaxError"),
        ],
    )
    def test_what_is_wrong_is_a_sentence(self, program: Program, write: Write, named: str, words: str) -> None:
        for name in ("fixed.py", "json.py", "odd-name.py"):
            write(name, "")
        write("broken.py", "f(\n")
        result = program("check", "--plugin", named)
        assert result.code == 2
        assert words in result.err
        assert named in result.err
