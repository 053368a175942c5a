"""A cache is made where it was asked for, and nowhere else is anything written or deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainlint.cache.place import FILE, NAME, Unusable, is_own, prepare, remove, usable


def test_a_cache_says_to_other_programs_what_it_is(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / NAME
    assert usable(directory) == directory / FILE
    assert not directory.exists()
    prepare(directory)
    assert (directory / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    assert (directory / ".gitignore").read_text().splitlines()[-1] == "*"
    assert is_own(directory)
    assert usable(directory) == directory / FILE


def names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def test_an_empty_directory_may_become_a_cache(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert is_own(tmp_path)


def test_a_directory_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(Unusable, match="holds other files"):
        prepare(tmp_path)
    assert names(tmp_path) == ["thesis.tex"]
    assert not is_own(tmp_path)


def test_a_link_of_the_usual_name_leads_nobody_astray(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "letters").mkdir()
    (tmp_path / NAME).symlink_to(home)
    with pytest.raises(Unusable):
        prepare(tmp_path / NAME)
    assert names(home) == ["letters"]


def test_a_link_in_place_of_the_results_is_not_followed(tmp_path: Path) -> None:
    directory = tmp_path / NAME
    directory.mkdir()
    (directory / FILE).symlink_to(tmp_path / "other.sqlite")
    with pytest.raises(Unusable, match="is a link"):
        prepare(directory)


def test_what_was_interrupted_is_completed(tmp_path: Path) -> None:
    directory = tmp_path / NAME
    prepare(directory)
    (directory / "CACHEDIR.TAG").unlink()
    prepare(directory)
    assert is_own(directory)


def test_another_users_cache_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path / NAME)
    if not hasattr(os, "geteuid"):
        pytest.skip("no users as on POSIX")
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(Unusable, match="belongs to another user"):
        prepare(tmp_path / NAME)


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("")
    with pytest.raises(Unusable, match="cannot be used"):
        prepare(tmp_path / NAME)


def test_removing_takes_what_trainlint_wrote_and_nothing_else(tmp_path: Path) -> None:
    directory = tmp_path / NAME
    prepare(directory)
    (directory / FILE).write_bytes(b"")
    (directory / f"{FILE}-journal").write_bytes(b"")
    (directory / "mine.txt").write_text("mine")
    with pytest.raises(OSError, match="not empty"):
        remove(directory)
    assert names(directory) == ["mine.txt"]
    (directory / "mine.txt").unlink()
    prepare(directory)
    (directory / FILE).write_bytes(b"")
    remove(directory)
    assert not directory.exists()
