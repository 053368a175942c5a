"""Path patterns with the meaning that .gitignore gives them, relative to the configuration's directory."""

from __future__ import annotations

import functools
import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.gitignore.wildcards import Names

MOST_PATTERNS = 1_000
"""The most patterns in one setting. Each is matched with the path of each file."""
MOST_CHARACTERS = 50_000
"""The most characters that the patterns of one setting may have together."""
_BELOW = (re.compile(""), None)
"""A name, and any number of names below it."""


def check_glob(pattern: str) -> str | None:
    """What is wrong with a pattern, as the end of a sentence, or None."""
    if not pattern.strip("/ "):
        return "is empty; write a path pattern such as tests/**"
    if pattern.startswith("!"):
        return "begins with !, and a pattern cannot be taken back here; write narrower patterns instead"
    if "\\" in pattern:
        return "holds a backslash; separate directories with /"
    if _compiled(pattern) is None:
        return "holds a [ that is not closed; write [[] for the character itself"
    return None


def check_number_of_globs(patterns: Sequence[str]) -> str | None:
    """What is wrong with the number or the length of a setting's patterns, as the end of a sentence, or None."""
    if len(patterns) > MOST_PATTERNS:
        return f"has more than {MOST_PATTERNS:,} patterns; write fewer and wider ones"
    if sum(map(len, patterns)) > MOST_CHARACTERS:
        return f"has patterns of more than {MOST_CHARACTERS:,} characters in all; write fewer and shorter ones"
    return None


def matches_any(
    patterns: tuple[str, ...], root: str, path: str | os.PathLike[str], *, is_directory: bool = False
) -> bool:
    """Whether a path, or a directory that it is in, matches one of the patterns; never for a path outside `root`.

    A pattern without a slash, or with one at its end only, matches at any depth; others start at `root`.
    `**` crosses directories. A slash at the end matches directories only.
    """
    if not patterns:
        return False
    inside = _below(root, path)
    return inside is not None and any(_matches(pattern, inside.split("/"), is_directory) for pattern in patterns)


def _matches(pattern: str, path: list[str], is_directory: bool) -> bool:
    from trainlint.gitignore.wildcards import match

    names = _compiled(pattern)
    if names is None:
        return False
    if match((*names, *_BELOW), path):
        return True
    return (is_directory or not pattern.endswith("/")) and match(names, path)


def _below(root: str, path: str | os.PathLike[str]) -> str | None:
    inside, full_path = os.path.join(os.path.abspath(root), ""), os.path.abspath(path)
    if not os.path.normcase(full_path).startswith(os.path.normcase(inside)):
        return None
    return full_path[len(inside) :].replace(os.sep, "/")


@functools.lru_cache(maxsize=2 * MOST_PATTERNS)  # `exclude` and `per-file-ignores` of one configuration
def _compiled(pattern: str) -> Names | None:
    """The pattern ready to match; None where it can match nothing."""
    from trainlint.gitignore.wildcards import ANY_DEPTH, NeverMatches, names_of  # few configurations have patterns

    body = re.sub("/+", "/", pattern.rstrip("/"))
    try:
        return names_of(body.removeprefix("/")) if "/" in body else (ANY_DEPTH, *names_of(body.replace("**", "*")))
    except NeverMatches:
        return None
