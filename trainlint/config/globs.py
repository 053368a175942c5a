"""Path patterns with the meaning that .gitignore gives them, relative to the configuration's directory."""

from __future__ import annotations

import functools
import os
import re


def check_glob(pattern: str) -> str | None:
    """What is wrong with a pattern, as the end of a sentence, or None."""
    if not pattern.strip("/ "):
        return "is empty; write a path pattern such as tests/**"
    if pattern.startswith("!"):
        return "begins with !, and a pattern cannot be taken back here; write narrower patterns instead"
    if "\\" in pattern:
        return "holds a backslash; separate directories with /"
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
    if inside is None:
        return False
    wanted = f"{inside}/" if is_directory else inside
    return any(_compiled(pattern).match(wanted) is not None for pattern in patterns)


def _below(root: str, path: str | os.PathLike[str]) -> str | None:
    inside, full_path = os.path.join(os.path.abspath(root), ""), os.path.abspath(path)
    if not os.path.normcase(full_path).startswith(os.path.normcase(inside)):
        return None
    return full_path[len(inside) :].replace(os.sep, "/")


@functools.lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    directories_only = pattern.endswith("/")
    body = pattern.rstrip("/")
    anchored = "/" in body
    parts = [part for part in body.split("/") if part]
    regex = "" if anchored else "(?:.*/)?"
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            regex += ".+" if last else "(?:.*/)?"
        else:
            regex += _part(part) + ("" if last else "/")
    return re.compile(regex + ("/" if directories_only else r"(?:/|\Z)"), re.DOTALL)


def _part(part: str) -> str:
    """One name of a pattern: `*` and `?` stay within it, `[...]` is one character of a set."""
    regex = ""
    position = 0
    while position < len(part):
        character = part[position]
        position += 1
        if character == "*":
            regex += "[^/]*"
        elif character == "?":
            regex += "[^/]"
        elif character == "[" and (end := part.find("]", position + 1 + (part[position : position + 1] in "!^"))) > 0:
            chosen = part[position:end]
            negated = chosen[:1] in ("!", "^")
            members = (chosen[1:] if negated else chosen).replace("[", r"\[")
            regex += f"[^/{members}]" if negated else f"[{members}]"
            position = end + 1
        else:
            regex += re.escape(character)
    return regex
