"""Path patterns mean what .gitignore makes them mean."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.config.globs import check_glob, matches_any


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests", "tests/a.py"),
        ("tests", "deep/tests/a.py"),
        ("*_pb2.py", "deep/x_pb2.py"),
        ("build/", "deep/build/a.py"),
        ("/build", "build/a.py"),
        ("src/*.py", "src/a.py"),
        ("src/**", "src/deep/a.py"),
        ("**/gen/*.py", "gen/a.py"),
        ("a/**/b.py", "a/b.py"),
        ("a/**/b.py", "a/x/y/b.py"),
        ("[ab].py", "x/a.py"),
        ("[!ab].py", "c.py"),
        ("v?.py", "v1.py"),
        ("[[]a.py", "[a.py"),
        ("[/a/]", "a"),
        ("src/***/a.py", "src/x/y/a.py"),
        ("ü?.py", "deep/üß.py"),
    ],
)
def test_matches(pattern: str, path: str) -> None:
    assert matches_any((pattern,), "/project", Path("/project") / path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests", "tests.py"),
        ("tests", "mytests/a.py"),
        ("/build", "deep/build/a.py"),
        ("src/*.py", "src/deep/a.py"),
        ("src/*.py", "deep/src/a.py"),
        ("build/", "build"),
        ("[!ab].py", "a.py"),
        ("v?.py", "v10.py"),
        ("*.py", "../elsewhere/a.py"),
        ("[a.py", "[a.py"),
    ],
)
def test_does_not_match(pattern: str, path: str) -> None:
    assert not matches_any((pattern,), "/project", Path("/project") / path)


def test_a_slash_at_the_end_wants_a_directory() -> None:
    assert matches_any(("build/",), "/project", "/project/build", is_directory=True)


def test_relative_paths_start_at_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert matches_any(("src/a.py",), str(tmp_path), "src/../src/a.py")


def test_a_pattern_that_can_match_nothing_is_refused() -> None:
    assert check_glob("[a.py") == "holds a [ that is not closed; write [[] for the character itself"
    assert check_glob("[[]a.py") is None


@pytest.mark.parametrize("pattern", ["*a*a*a*a*a*a*a*a*a*a*a*a*ab", "/x/" + "**/a/" * 40 + "b"])
def test_no_pattern_makes_a_run_hang(pattern: str) -> None:
    """Backtracking would take longer than the universe is old."""
    assert not matches_any((pattern,), "/project", f"/project/{'a' * 200}")
    assert not matches_any((pattern,), "/project", "/project/x/" + "a/" * 200 + "c")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git judges how .gitignore reads a pattern, and it is not installed")
    directory = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", directory], check=True)
    return directory


def git_ignores(repository: Path, pattern: str, path: str) -> bool:
    (repository / ".gitignore").write_text(pattern + "\n", encoding="utf-8")
    return subprocess.run(["git", "check-ignore", "--quiet", "--", path], cwd=repository, check=False).returncode == 0


_names = st.text(alphabet="ab.-", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
_parts = st.text(alphabet="ab.-*?[]", min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))


@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(_parts, min_size=1, max_size=3),
    front=st.sampled_from(["", "/"]),
    end=st.sampled_from(["", "/"]),
    path=st.lists(_names, min_size=1, max_size=4),
)
def test_agrees_with_git(repository: Path, parts: list[str], front: str, end: str, path: list[str]) -> None:
    pattern = front + "/".join(parts) + end
    relative = "/".join(path)
    assert matches_any((pattern,), str(repository), repository / relative) == git_ignores(repository, pattern, relative)
