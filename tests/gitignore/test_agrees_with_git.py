"""What is ignored, compared with real git. In tests git runs; in the program it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.gitignore.ignores import IgnoreReader, Ignores

FILES = ("a", "B", "b/a", "ab/b", "a.b/b/a", "a b/a ", "b/ab/a", "é/a", "aa/b/ab/b", "-a", "#a", "!a", "[a", "b/\\a")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git judges how ignore files are read, and it is not installed")
    directory = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", directory], check=True)
    return directory


def kept_by_git(repository: Path) -> list[str]:
    # As core.excludesFile nothing is set, so that what this machine's user ignores changes nothing.
    command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=repository, check=True, capture_output=True).stdout
    return sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)


def kept(repository: Path) -> list[str]:
    def complain(path: str, reason: str) -> None:
        raise AssertionError(f"{path}: {reason}")

    reader = IgnoreReader(complain, complain)

    def below(directory: str, ignores: Ignores) -> list[str]:
        ignores = reader.with_file_of(directory, ignores)
        found: list[str] = []
        for entry in os.scandir(directory):
            is_directory = entry.is_dir(follow_symlinks=False)
            if entry.name != ".git" and not ignores.ignored(entry.name, is_directory=is_directory):
                found += below(entry.path, ignores.inside(entry.name)) if is_directory else [entry.path]
        return found

    return sorted(os.path.relpath(path, repository) for path in below(str(repository), reader.at_top(str(repository))))


def make_tree(repository: Path, files: tuple[str, ...], ignore_files: Mapping[str, bytes]) -> None:
    for entry in repository.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    for name in files:
        path = repository / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # a generated file stands where another needs a directory
    for name, text in ignore_files.items():
        directory = repository / name
        if directory.is_dir():
            (directory / ".gitignore").write_bytes(text)


@pytest.fixture(autouse=True)
def _nobodys_own_ignores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no configuration"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no directory"))


@pytest.mark.parametrize(
    "text",
    [
        b"ab/\n!ab/b\n",  # nothing is taken back below a directory that is ignored
        b"ab/*\n!ab/b\n",
        b"*\n!*/\n!a\n",
        b"b/**\n!b/a\n",
        b"**/b\n",
        b"aa/**/b\n",
        b"a**b\n",
        b"aa**/b\n",
        b"***\n!b/***/a\n",
        b"/a\n",
        b"b/a\n",
        b"/*\n!/b\n",
        b"//a\n/\n!\n",
        b"a/\n",
        b"B\n",
        b"a b   \n",
        b"a b/a\\ \n",
        b"a b/a\\  \n",
        b"a b/a \n",
        b"a\t\n",
        b"\\#a\n\\!a\n",
        b"#a\n!a\n",
        b"a\n!#a\n",
        b"\\[a\n",
        b"[a\n",
        b"[[]a\n",
        b"a\\\n",
        b"\\\\a\n",
        b"[ab]\n",
        b"[!a]\n",
        b"[^a]\n",
        b"[]a]\n",
        b"[a-]b\n",
        b"[[:nonsense:]]\n",
        b"a[/]b\n",
        b"a?b\n",
        b"?\n",
        "é\n".encode(),
        b"?/a\n",
        b"??/a\n",
        b"[\xc3]\xa9\n",
        b"a\r\nab/\r\n",
        b"a\r\r\nb",
        b"a\r",
        b"\xef\xbb\xbfa\n",
        b"\xef\xbb\xbf#a\n",
        b"a\n\xef\xbb\xbfB\n",
        b"a\0b\nB\n",
        b"a\xff\n",
    ],
)
def test_cases_by_hand(repository: Path, text: bytes) -> None:
    make_tree(repository, FILES, {".": text})
    assert kept(repository) == kept_by_git(repository)


def test_an_ignore_file_further_in_is_stronger(repository: Path) -> None:
    ignore_files = {".": b"a\n!b/ab/a\n", "b": b"!a\n/ab/a\n", "b/ab": b"!a\n", "aa": b"b/ab/b\n", "é": b"/a\n"}
    make_tree(repository, FILES, ignore_files)
    assert kept(repository) == kept_by_git(repository)
    assert "b/ab/a" in kept(repository)


def test_a_link_to_a_directory_is_no_directory(repository: Path) -> None:
    make_tree(repository, FILES, {".": b"linked/\n"})
    (repository / "linked").symlink_to("aa")
    # Git lists the link; the search for files to judge does not follow it.
    assert "linked" in kept(repository)
    assert kept(repository) == kept_by_git(repository)


@pytest.mark.parametrize("value", ["true", "false"])
def test_case_counts_as_the_repository_says(repository: Path, value: str) -> None:
    make_tree(repository, (*FILES, "Abc.PY", "deep/aBC.py"), {".": b"abc.py\nB*/\nAB/b\n/AA/B\n"})
    subprocess.run(["git", "config", "core.ignoreCase", value], cwd=repository, check=True)
    try:
        assert kept(repository) == kept_by_git(repository)
        assert ("Abc.PY" in kept(repository)) is (value == "false")
    finally:
        subprocess.run(["git", "config", "--unset", "core.ignoreCase"], cwd=repository, check=True)


_names = st.text(alphabet="abé]- ", min_size=1, max_size=2)
_paths = st.lists(_names, min_size=1, max_size=3).map("/".join)
_PIECES = ("a", "b", "é", " ", "-", "#", "!", "*", "?", "\\a", "[ab]", "[!a]", "[^b]", "[a-b]", "[]]", "[]-a]", "[a-]")
_patterns = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3).map("".join) | st.just("**")
_lines = st.builds(
    lambda front, names, end: front + "/".join(names) + end,
    st.sampled_from(["", "", "!", "/"]),
    st.lists(_patterns, min_size=1, max_size=3),
    st.sampled_from(["", "/", " ", "\\ ", "\r"]),
)
_ignore_files = st.lists(_lines, min_size=1, max_size=4).map(lambda lines: "\n".join(lines).encode())


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(files=st.lists(_paths, min_size=1, max_size=8).map(tuple), data=st.data())
def test_any_tree_and_any_ignore_files(repository: Path, files: tuple[str, ...], data: st.DataObject) -> None:
    parents = sorted({str(parent) for name in files for parent in Path(name).parents})
    make_tree(repository, files, data.draw(st.dictionaries(st.sampled_from(parents), _ignore_files, min_size=1)))
    assert kept(repository) == kept_by_git(repository)
