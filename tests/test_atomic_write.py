"""Atomic writes: whatever happens, a file holds its old content or the new one, and no other file is left."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trainlint.atomic_write import require_new_file_beside, write_atomically

needs_posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of this kind are POSIX's")


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_made_or_replaced(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "report.json"
    for content in (b"first\r\n", b"second\n"):
        write_atomically(str(path), content, durable=durable)
        assert path.read_bytes() == content
    assert names_in(tmp_path) == ["report.json"]


def test_a_reader_who_has_the_file_open_goes_on_reading_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_atomically(str(path), b"new")
        assert reader.read() == b"old"


@needs_posix
def test_a_new_file_has_the_mode_that_the_user_wants_for_new_files(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        write_atomically(str(tmp_path / "new"), b"")
    finally:
        os.umask(umask)
    assert mode_of(tmp_path / "new") == 0o640


@needs_posix
@pytest.mark.parametrize(("mode", "kept"), [(0o600, 0o600), (0o664, 0o664), (0o4755, 0o755)])
def test_permissions_are_those_of_the_file_like_which_it_is_to_be(tmp_path: Path, mode: int, kept: int) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(str(path), b"new", like=path.stat())
    assert mode_of(path) == kept


@needs_posix
def test_nobody_else_may_read_the_new_content_before_it_has_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    path.chmod(0o666)
    seen = []

    class Stopped(Exception):
        pass

    def stop(place: str, mode: int) -> None:
        seen.append(mode_of(Path(place)))
        raise Stopped

    monkeypatch.setattr(os, "chmod", stop)
    with pytest.raises(Stopped):
        write_atomically(str(path), b"new", like=path.stat())
    assert seen == [0o600]
    assert (names_in(tmp_path), path.read_bytes()) == (["train.py"], b"old")


@needs_posix
def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    link = tmp_path / "link"
    link.symlink_to("elsewhere")
    write_atomically(str(link), b"new")
    assert ((tmp_path / "elsewhere").read_bytes(), link.is_symlink()) == (b"theirs", False)


@needs_posix
def test_a_link_in_the_place_of_the_new_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", bytes)  # as if somebody had guessed the name
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    (tmp_path / f".trainlint-{bytes(8).hex()}").symlink_to("elsewhere")
    with pytest.raises(FileExistsError):
        write_atomically(str(tmp_path / "report"), b"new")
    with pytest.raises(FileExistsError):
        require_new_file_beside(str(tmp_path / "report"))
    assert (tmp_path / "elsewhere").read_bytes() == b"theirs"
    assert not (tmp_path / "report").exists()


def test_each_new_file_has_another_name(tmp_path: Path) -> None:
    seen: list[str] = []
    for _ in range(2):
        write_atomically(str(tmp_path / "report"), b"", before_replacing=lambda: seen.extend(names_in(tmp_path)))
    assert len(set(seen) - {"report"}) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
def test_what_is_raised_before_replacing_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"old")

    def refuse() -> None:
        assert len(names_in(tmp_path)) == 2, "the new content is written by now"
        raise error

    with pytest.raises(error):
        write_atomically(str(path), b"new", before_replacing=refuse)
    assert (names_in(tmp_path), path.read_bytes()) == (["train.py"], b"old")


def test_asking_whether_a_file_can_be_made_leaves_nothing(tmp_path: Path) -> None:
    require_new_file_beside(str(tmp_path / "report"))
    assert names_in(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        require_new_file_beside(str(tmp_path / "gone/report"))
