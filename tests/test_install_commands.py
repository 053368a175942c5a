"""Whatever a message tells people to run exists: commands of trainlint, and installs for the Python that runs now."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from trainlint.cli.arguments import ALL_COMMANDS
from trainlint.installation.install_command import install_command

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = ("trainlint", "rules", "runtime_probe")
PAGES = [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md", REPOSITORY / "examples/README.md"]


def sources() -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((REPOSITORY / folder).rglob("*.py"))


def test_a_library_is_installed_for_this_python() -> None:
    assert shlex.split(install_command("a", "b"))[1:] == ["-m", "pip", "install", "a", "b"]
    assert shlex.split(install_command("a"))[0] == sys.executable


def test_an_environment_of_uv_has_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathFinder, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/uv")
    assert shlex.split(install_command("a")) == ["uv", "pip", "install", "--python", sys.executable, "a"]


def test_no_message_names_an_install_command_of_its_own() -> None:
    """trainlint may come from a clone, a wheel or an index: `pip install 'trainlint[extra]'` may find nothing."""
    own = REPOSITORY / "trainlint/installation/install_command.py"
    named = [path for path in sources() if path != own and re.search(r"`(pip|python -m pip) ", path.read_text("utf-8"))]
    allowed = {"watch/lines.py"}  # about how a package of the user may have been installed
    assert [path for path in named if not any(path.as_posix().endswith(name) for name in allowed)] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_install_trainlint_from_where_it_is(path: Path) -> None:
    assert re.findall(r"pip install [\"']?trainlint(?![\w-])(?!.*@ )", path.read_text("utf-8")) == []


def test_each_command_that_is_named_exists() -> None:
    known = set(ALL_COMMANDS)
    for path in (*sources(), *PAGES):
        named = set(re.findall(r"(?:`|\$ )trainlint ([a-z]+)", path.read_text("utf-8")))
        assert named <= known, path
