"""Fixes and reports are written where the user asked for them, and nowhere that a link leads to."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trainlint.cli.console import UsageError
from trainlint.cli.report_file import write_report

if TYPE_CHECKING:
    from tests.cli.conftest import Program, Write

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
SAFE = "import torch\nsafe()\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file of the user's that a fix would change."""
    path = tmp_path / "outside" / "theirs.py"
    path.parent.mkdir()
    path.write_text(SAFE)
    return path


def repository(program: Program, write: Write) -> None:
    write("own.py", SAFE)
    subprocess.run(["git", "init", "-q"], cwd=program.directory, check=True)


@pytest.mark.parametrize("how", [(".",), ("linked.py",), ("--jobs", "2")], ids=" ".join)
def test_a_fix_is_not_written_through_a_link_that_leaves_the_project(
    toys: Program, write: Write, outside: Path, how: tuple[str, ...]
) -> None:
    repository(toys, write)
    (toys.directory / "linked.py").symlink_to(outside)
    result = toys("check", "--fix", "--output-format", "concise", "--no-cache", *how)
    assert outside.read_text() == SAFE
    if "linked.py" in result.out:  # or it is not even read
        assert result.code == 1
        assert "linked.py:2:1: TOY101" in result.out
        assert "trainlint: linked.py leads out of its project by a link, so it is not fixed\n" in result.err


@pytest.mark.parametrize("marked", [True, False], ids=["a project of its own", "no project"])
@pytest.mark.parametrize("in_project", [True, False], ids=["from a project", "from a mere directory"])
def test_nor_through_a_directory_that_is_one(
    toys: Program, write: Write, outside: Path, marked: bool, in_project: bool
) -> None:
    """Neither does what marks a project behind the link make that the project."""
    write("own.py", SAFE)
    if in_project:
        write("pyproject.toml", "")
    if marked:
        (outside.parent / ".git").mkdir()
    (toys.directory / "vendor").symlink_to(outside.parent)
    result = toys("check", "--fix", "vendor/theirs.py", "own.py", "--no-cache")
    assert outside.read_text() == SAFE
    assert (toys.directory / "own.py").read_text() == SAFE.replace("safe", "cured")
    assert result.code != 0
    elsewhere = type(toys)(toys.directory.parent / "outside", toys.environment)
    if in_project:
        elsewhere("check", "--fix", str(toys.directory / "vendor/theirs.py"), "--no-cache")
        assert outside.read_text() == SAFE


def test_a_link_within_the_project_is_followed_and_so_is_one_to_the_project(toys: Program, write: Write) -> None:
    repository(toys, write)
    (toys.directory / "src").mkdir()
    (toys.directory / "src" / "link.py").symlink_to("../own.py")
    inside = type(toys)(toys.directory / "src", toys.environment)
    assert inside("check", "--fix", "link.py", "--no-cache").code == 0
    assert "cured" in (toys.directory / "own.py").read_text()
    write("own.py", SAFE)
    (toys.directory.parent / "home").symlink_to(toys.directory)
    elsewhere = type(toys)(toys.directory.parent, toys.environment)
    assert elsewhere("check", "--fix", str(toys.directory.parent / "home/own.py"), "--no-cache").code == 0
    assert "cured" in (toys.directory / "own.py").read_text()


def test_a_file_without_a_project_is_fixed(toys: Program, outside: Path) -> None:
    assert toys("check", "--fix", str(outside), "--no-cache").code == 0
    assert "cured" in outside.read_text()


class TestReport:
    """`--output-file` is looked at before anything is fixed."""

    @pytest.mark.parametrize("place", ["nowhere/report.txt", ".", "link.txt", "elsewhere/report.txt", "train.py"])
    def test_where_no_report_can_be_written_nothing_is_fixed(
        self, toys: Program, write: Write, outside: Path, place: str
    ) -> None:
        train = write("train.py", SAFE)
        (toys.directory / "link.txt").symlink_to(outside)
        (toys.directory / "elsewhere").symlink_to(outside.parent)
        result = toys("check", "--fix", "-o", place, "train.py")
        assert result.code == 2
        assert result.err.startswith("trainlint: ")
        assert place in result.err
        assert train.read_text() == outside.read_text() == SAFE
        assert sorted(path.name for path in outside.parent.iterdir()) == ["theirs.py"]

    def test_a_missing_directory_is_named(self, toys: Program, write: Write) -> None:
        write("train.py", SAFE)
        said = "the report cannot be written to no/report.txt: there is no directory no; make it first"
        assert toys("check", "-o", "no/report.txt").err == f"trainlint: {said}\n"

    def test_a_judged_file_is_not_overwritten_under_any_name(self, toys: Program, write: Write) -> None:
        train = write("train.py", SAFE)
        os.link(train, toys.directory / "report.txt")
        assert toys("check", "-o", "report.txt").code == 2
        assert train.read_text() == SAFE

    def test_wrong_usage_leaves_an_earlier_report_alone(self, toys: Program, write: Write) -> None:
        write("train.py", SAFE)
        report = write("report.txt", "earlier")
        assert toys("check", "-o", "report.txt", "--select", "NONSENSE").code == 2
        assert report.read_text() == "earlier"
        report.chmod(0o640)
        assert toys("check", "-o", "report.txt").code == 1
        assert "TOY101" in report.read_text()
        assert report.stat().st_mode & 0o777 == 0o640
        assert sorted(path.name for path in toys.directory.glob("*.txt*")) == ["report.txt"]

    def test_it_is_written_whole_or_not_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_room(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        report = tmp_path / "report.txt"
        report.write_text("earlier")
        monkeypatch.setattr(os, "replace", no_room)
        with pytest.raises(UsageError, match=r"cannot be written to .*report.txt"):
            write_report(report, "new")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("report.txt", "earlier")]

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
    def test_a_device_is_written_to(self, toys: Program, write: Write) -> None:
        write("train.py", SAFE)
        assert "TOY101" in toys("check", "-o", "/dev/stdout", "--quiet").out
        assert toys("check", "-o", "/dev/null", "--quiet") == type(toys("rules"))(1, "", "")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_that_came_with_the_project_is_not_waited_for(self, toys: Program, write: Write) -> None:
        write("train.py", SAFE)
        os.mkfifo(toys.directory / "report.json")
        result = toys("check", "-o", "report.json", "train.py")
        assert result.code == 2
        assert result.err.startswith("trainlint: the report cannot be written to report.json (")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_that_is_read_gets_the_whole_report(self, toys: Program, write: Write) -> None:
        write("train.py", SAFE * 100)  # more than a pipe holds at once
        os.mkfifo(toys.directory / "report.json")
        with subprocess.Popen(["cat", "report.json"], cwd=toys.directory, stdout=subprocess.PIPE) as reader:
            result = toys("check", "-o", "report.json", "--output-format", "json", "train.py", "--quiet")
            if result.code == 2:  # then no report comes
                reader.terminate()
            report, _ = reader.communicate(timeout=60)
        assert result.code == 1, result
        assert len(json.loads(report)["findings"]) == 100
