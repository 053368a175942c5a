"""A cache is made where it was asked for, and nowhere else is anything written or deleted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trainlint.cache.place import FILE, directory_for, is_own, own_caches, prepare, remove, usable
from trainlint.project import judged_tree, lies_in
from trainlint.user_cache import Unusable, directory_of_caches, is_private, make_private


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the cache of a project would be made."""
    return directory_for(tmp_path / "thesis", str(tmp_path / "deep/caches"))


def names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_cache_is_private_and_says_to_other_programs_what_it_is(directory: Path) -> None:
    assert usable(directory) == directory / FILE
    assert not directory.exists()
    prepare(directory)
    assert (directory / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    assert is_own(directory)
    assert usable(directory) == directory / FILE
    if os.name == "posix":
        assert [mode(path) for path in (directory, directory.parent, directory.parent.parent)] == [0o700] * 3


def test_a_permissive_umask_does_not_make_it_unusable(directory: Path) -> None:
    before = os.umask(0)
    try:
        prepare(directory)
        (directory / FILE).touch()
    finally:
        os.umask(before)
    assert usable(directory) == directory / FILE


def test_each_project_has_a_directory_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "one/net").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one/net")
    one, two, linked = (directory_for(tmp_path / name, "/caches") for name in ("one/net", "two/net", "link"))
    assert one != two
    assert one == linked
    assert one.name.startswith("net-")
    assert directory_for(Path("/"), "/caches").name.startswith("root-")
    strange = directory_for(tmp_path / "a\nb\x1b[2J" / ("ü" * 200), "/caches").name
    assert strange.isascii() and strange.isprintable() and len(strange) < 100  # noqa: PT018 - one name


def test_what_was_interrupted_is_completed(directory: Path) -> None:
    prepare(directory)
    (directory / "CACHEDIR.TAG").unlink()
    prepare(directory)
    assert is_own(directory)


def test_a_file_in_the_way_is_told(directory: Path) -> None:
    directory.parent.parent.mkdir()
    directory.parent.write_text("")
    with pytest.raises(Unusable, match="cannot be used"):
        prepare(directory)


def test_a_named_pipe_in_place_of_the_results_is_told(directory: Path) -> None:
    prepare(directory)
    os.mkfifo(directory / FILE)
    with pytest.raises(Unusable, match="neither a directory nor an ordinary file"):
        usable(directory)


def test_removing_takes_what_trainlint_wrote_and_nothing_else(directory: Path) -> None:
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


def test_only_caches_are_found_among_other_things(directory: Path) -> None:
    caches = directory.parent
    assert own_caches(str(caches)) == []
    prepare(directory)
    (caches / "letters").mkdir()
    (caches / "rules.json").write_text("{}")
    (caches / "link").symlink_to(directory)
    assert own_caches(str(caches)) == [directory]


def test_the_directory_of_all_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", "variable")
    assert directory_of_caches() == os.path.realpath("variable")
    assert directory_of_caches("option") == os.path.realpath("option")
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", "")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: "~/.cache/trainlint")
    with pytest.raises(Unusable, match="no home directory is known"):
        directory_of_caches()


def test_a_link_to_the_directory_of_all_caches_is_followed(tmp_path: Path) -> None:
    """The user has named it; what it leads to must be private, and nothing below it may be a link."""
    make_private(str(tmp_path / "large disk"))
    (tmp_path / "caches").symlink_to(tmp_path / "large disk")
    assert is_private(directory_of_caches(str(tmp_path / "caches")))


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_judged_tree_is_the_repository(tmp_path: Path) -> None:
    (tmp_path / "clone/.git").mkdir(parents=True)
    (tmp_path / "setup.py").touch()
    write(tmp_path / "clone/part/pyproject.toml")
    write(tmp_path / "clone/module/.git", "gitdir: ../.git/modules/module\n")
    (tmp_path / "clone/fake").mkdir()
    (tmp_path / "clone/fake/.git").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "clone/part")
    for name in ("clone", "clone/part", "clone/part/deep", "clone/module", "clone/fake", "link"):
        assert judged_tree(str(tmp_path / name)) == os.path.realpath(tmp_path / "clone"), name


def test_without_a_repository_it_is_the_outermost_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "home/pyproject.toml")
    write(tmp_path / "home/part/setup.cfg")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert judged_tree(str(tmp_path / "home/part/src")) == os.path.realpath(tmp_path / "home")
    assert judged_tree(str(tmp_path / "alone")) == os.path.realpath(tmp_path / "alone")


def test_what_lies_in_a_tree() -> None:
    assert lies_in("/a/b", "/a")
    assert lies_in("/a", "/a")
    assert lies_in("/a", "/")
    assert not lies_in("/ab", "/a")
    assert not lies_in("/", "/a")
