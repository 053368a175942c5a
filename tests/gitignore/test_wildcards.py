"""Patterns are matched in time of at most pattern length times path length."""

from __future__ import annotations

import pytest

from trainlint.gitignore.ignore_file import IgnoreFile
from trainlint.gitignore.wildcards import NeverMatches, match, names_of

LONG_NAME = "a" * 200
DEEP = "/".join(["a"] * 200)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", LONG_NAME),
        ("*[ab]" * 40 + "c", LONG_NAME),
        ("*?" * 40 + "b", LONG_NAME),
        ("x/" + "*a" * 40 + "b", f"x/{LONG_NAME}"),
        ("/" + "**/a/" * 40 + "b", DEEP),
        ("/" + "**/*a*/" * 40 + "b", DEEP),
        ("x**/" * 40 + "b", DEEP),
    ],
)
def test_no_pattern_makes_a_run_hang(pattern: str, path: str) -> None:
    """Trying each way to share out 200 letters among 40 stars would take longer than the universe is old."""
    name = path.rpartition("/")[2]
    assert IgnoreFile(pattern.encode()).ignores(name, path, is_directory=False) is None


@pytest.mark.parametrize("pattern", ["*a" * 40, "*a" * 40 + "*", "*?" * 100])
def test_a_match_among_many_stars_is_found(pattern: str) -> None:
    assert match(names_of(pattern), [LONG_NAME])
    assert match(names_of(f"**/{pattern}/**/{pattern}"), ["x", LONG_NAME, "y", LONG_NAME])


@pytest.mark.parametrize("pattern", ["[", "[a", "[!", "a\\", "[\\", "[a-\\", "[[:alpha:]", "[[:no:]]", "[[:a", "[]"])
def test_patterns_that_match_nothing_are_told(pattern: str) -> None:
    with pytest.raises(NeverMatches):
        names_of(pattern)
