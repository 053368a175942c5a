"""No file is believed to be unchanged that is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainlint.cache.keys import digest
from trainlint.cache.stamps import Contents
from trainlint.cache.store import Store

HOUR = 3_600_000_000_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that is an hour old."""
    path = tmp_path / "train.py"
    path.write_bytes(b"x = 1\n")
    then = path.stat().st_mtime_ns - HOUR
    os.utime(path, ns=(then, then))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results.sqlite")


def held(store: Store, path: Path) -> bytes | None:
    """What a run takes the file to hold; it is told the cache."""
    contents = Contents(store)
    contents.look([str(path)])
    store.write(contents.new, [])
    return contents.digest(str(path))


def believed(store: Store, path: Path) -> bool:
    """Whether a run takes the file to be unchanged without reading it."""
    contents = Contents(store)
    contents.look([str(path)])
    return not contents.new


def settle(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Let the clock go on by an hour, so that times of now are clearly over."""
    now = file.stat().st_ctime_ns + HOUR
    monkeypatch.setattr("trainlint.cache.stamps.time.time_ns", lambda: now)


def test_a_settled_file_is_not_read(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch, file)
    assert held(store, file) == digest(b"x = 1\n")
    assert believed(store, file)


def test_a_file_that_has_just_changed_is_read_again(store: Store, file: Path) -> None:
    assert held(store, file) == digest(b"x = 1\n")
    assert not believed(store, file)


def test_an_edit_within_one_tick_is_seen(store: Store, file: Path) -> None:
    """Same size, same inode, and, as on a file system with coarse times, the very same times."""
    held(store, file)
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert held(store, file) == digest(b"x = 2\n")


def test_a_time_that_is_set_back_hides_nothing(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch, file)
    held(store, file)
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert held(store, file) == digest(b"x = 2\n")


def test_a_replaced_file_is_read(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch, file)
    held(store, file)
    before = file.stat()
    other = file.with_name("other.py")
    other.write_bytes(b"x = 2\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)
    assert held(store, file) == digest(b"x = 2\n")


def test_files_that_change_places_are_read(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch, file)
    other = file.with_name("other.py")
    other.write_bytes(b"x = 2\n")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    held(store, file)
    held(store, other)
    file.rename(file.with_name("third.py"))
    other.rename(file)
    file.with_name("third.py").rename(other)
    assert held(store, file) == digest(b"x = 2\n")
    assert held(store, other) == digest(b"x = 1\n")


def test_what_a_link_leads_to_counts(store: Store, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch, file)
    other = file.with_name("other.py")
    other.write_bytes(b"x = 2\n")
    link = file.with_name("link.py")
    link.symlink_to(file)
    assert held(store, link) == digest(b"x = 1\n")
    link.unlink()
    link.symlink_to(other)
    assert held(store, link) == digest(b"x = 2\n")


def test_what_cannot_be_read_holds_nothing(store: Store, tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * 5_000_001)
    for path in (large, tmp_path / "missing.py", tmp_path):
        assert held(store, path) is None


def test_what_changed_since_it_was_looked_at_is_told(store: Store, file: Path) -> None:
    quiet = file.with_name("quiet.py")
    quiet.write_bytes(b"y = 1\n")
    contents = Contents(store)
    contents.look([str(file), str(quiet)])
    assert contents.unchanged([str(file), str(quiet)]) == {str(file), str(quiet)}
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert contents.unchanged([str(file), str(quiet), "never looked at"]) == {str(quiet)}
