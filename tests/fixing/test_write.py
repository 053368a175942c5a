"""A file on disk holds the old content or the new one, and never a piece of either."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainlint.fixing import FileChanged, NotWritten, replace_content

needs_posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of this kind are POSIX's")


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old\r\n")
    replace_content(path, b"old\r\n", b"new\r\n")
    assert path.read_bytes() == b"new\r\n"
    assert names_in(tmp_path) == ["train.py"]


def test_a_file_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"somebody's work")
    with pytest.raises(FileChanged, match=r"train\.py changed while it was being fixed"):
        replace_content(path, b"old", b"new")
    assert path.read_bytes() == b"somebody's work"
    assert names_in(tmp_path) == ["train.py"]


def test_a_file_changed_while_it_is_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    chmod = os.chmod

    def editor_saves(target: str, mode: int) -> None:
        path.write_bytes(b"somebody's work")
        chmod(target, mode)

    monkeypatch.setattr(os, "chmod", editor_saves)
    with pytest.raises(FileChanged):
        replace_content(path, b"old", b"new")
    assert path.read_bytes() == b"somebody's work"
    assert names_in(tmp_path) == ["train.py"]


@needs_posix
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o664])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    path.chmod(mode)
    replace_content(path, b"old", b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@needs_posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    os.chown(path, 12345, 12346)
    replace_content(path, b"old", b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)


@needs_posix
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "code" / "train.py", tmp_path / "link.py"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to(Path("code") / "train.py")
    replace_content(link, b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names_in(tmp_path) == ["code", "link.py"]
    assert names_in(target.parent) == ["train.py"]


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(NotWritten, match="could not be written"):
        replace_content(tmp_path / "gone.py", b"old", b"new")
    assert names_in(tmp_path) == []


def test_a_directory_is_no_file_to_write(tmp_path: Path) -> None:
    (tmp_path / "x.py").mkdir()
    with pytest.raises(NotWritten, match="no regular file"):
        replace_content(tmp_path / "x.py", b"", b"new")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_the_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")

    def fail(_: int) -> None:
        raise interruption

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(NotWritten if interruption is OSError else interruption):
        replace_content(path, b"old", b"new")
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["train.py"]


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that every user may pass through; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o777)
        yield directory
        directory.chmod(0o777)


def written_by_an_ordinary_user(path: Path) -> str:
    """What NotWritten says when somebody who is not root tries; empty where the write succeeds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            replace_content(path, b"old", b"new")
        except NotWritten as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as stream:
        return stream.read().decode()


@needs_posix
def test_in_a_read_only_directory_the_file_is_left_and_the_reason_told(open_directory: Path) -> None:
    path = open_directory / "train.py"
    path.write_bytes(b"old")
    path.chmod(0o666)
    open_directory.chmod(0o555)
    said = written_by_an_ordinary_user(path)
    assert str(path) in said
    assert "Permission denied" in said
    assert path.read_bytes() == b"old"
    assert names_in(open_directory) == ["train.py"]


@needs_posix
def test_a_write_protected_file_is_left_although_its_directory_is_open(open_directory: Path) -> None:
    path = open_directory / "train.py"
    path.write_bytes(b"old")
    path.chmod(0o444)
    assert "write-protected" in written_by_an_ordinary_user(path)
    assert path.read_bytes() == b"old"


@needs_posix
def test_an_ordinary_user_writes_where_it_is_allowed(open_directory: Path) -> None:
    path = open_directory / "train.py"
    path.write_bytes(b"old")
    path.chmod(0o666)
    assert written_by_an_ordinary_user(path) == ""
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666
