"""Files are read only where they are ordinary, and only up to a bound."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from trainlint.bounded import UnfitFile, leads_out, leaves_project, read_beginning, read_bounded, write_leaves_project


def test_an_ordinary_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"torch>=2.4\n")
    assert read_bounded(tmp_path / "requirements.txt", 11) == b"torch>=2.4\n"


def test_a_larger_file_is_refused_and_its_beginning_may_be_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"torch>=2.4\n")
    with pytest.raises(UnfitFile, match="larger than 10 bytes"):
        read_bounded(tmp_path / "requirements.txt", 10)
    assert read_beginning(tmp_path / "requirements.txt", 5) == b"torch"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnfitFile, match="no ordinary file"):
        read_bounded(tmp_path / "pipe", 10)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_link_to_an_endless_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").symlink_to("/dev/zero")
    with pytest.raises(UnfitFile, match="no ordinary file"):
        read_bounded(tmp_path / "requirements.txt", 10)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_out_of_a_directory_is_told(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "project-secrets").write_text("secret")
    (project / "inside.py").write_text("")
    (project / "out.py").symlink_to(tmp_path / "project-secrets")
    (project / "in.py").symlink_to("inside.py")
    assert leads_out(project / "out.py", project)
    assert not leads_out(project / "in.py", project)
    assert not leads_out(project, project)


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """A project in a repository, with links out of each of the two, and to a file of its own."""
    inner = tmp_path / "repository/inner"
    inner.mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    (inner / "setup.py").touch()
    (inner / "own.py").touch()
    (tmp_path / "repository/other.py").touch()
    (tmp_path / "secret.py").touch()
    (inner / "to_own.py").symlink_to("own.py")
    (inner / "to_repository.py").symlink_to("../other.py")
    (inner / "to_secret.py").symlink_to("../../secret.py")
    return inner


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
@pytest.mark.parametrize(
    ("name", "for_reading", "for_writing"),
    [
        ("own.py", False, False),
        ("to_own.py", False, False),
        ("to_repository.py", False, True),
        ("to_secret.py", True, True),
    ],
)
def test_a_file_may_be_read_in_its_repository_and_written_in_its_inner_project(
    nested: Path, name: str, for_reading: bool, for_writing: bool
) -> None:
    assert leaves_project(nested / name) == for_reading
    assert write_leaves_project(nested / name) == for_writing


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_without_a_project_a_file_is_written_in_the_working_directory_or_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/below").mkdir(parents=True)
    (tmp_path / "here/one.py").touch()
    link = tmp_path / "here/below/link.py"
    link.symlink_to("../one.py")
    monkeypatch.chdir(tmp_path / "here/below")
    assert write_leaves_project(link)
    monkeypatch.chdir(tmp_path / "here")
    assert not write_leaves_project(link)
    monkeypatch.chdir("/")
    assert not write_leaves_project(link), "the working directory is around both"


def test_a_small_file_takes_little_memory_whatever_its_bound(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"torch>=2.4\n")
    tracemalloc.start()
    try:
        assert read_bounded(tmp_path / "requirements.txt", 5_000_000) == b"torch>=2.4\n"
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
