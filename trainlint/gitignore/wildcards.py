"""Path patterns with git's meaning, matched in time of at most pattern length times path length.

Ignore files and the path patterns of trainlint's own configuration share this module. A pattern is matched name by
name. Within a name, no part of a match is tried twice, so no pattern can make a run hang; a translation of the whole
pattern into one ordinary regular expression would need exponential time for `*a*a*a*b`. The pathspec library makes such
expressions, which is why it is not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainlint.patterns import lazy

_ANY_DEPTH = None
"""Stands for `**` between slashes: any number of directories."""
_STAR = None
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_SPECIAL = lazy(r"[*?\[\\]")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    _Name = re.Pattern[str]
    """What one name of a path must match."""


class NeverMatches(ValueError):
    """A pattern that git matches with no path: a `[` that is not closed, or a backslash at the end."""


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A pattern for paths, ready to match."""

    prefix: str
    """The literal text that a path must begin with: all before the first special character."""
    literal: bool
    """Whether the prefix is the whole pattern."""
    chunks: tuple[tuple[_Name, ...], ...]
    """The names of the rest of the pattern, split where `**` stands."""

    literal_end: str = ""
    """The text that a name must end with, where that is all that the pattern asks for, as in `*.pyc`; else empty."""

    def matches(self, path: str) -> bool:
        """Whether the whole path, with slashes between its names, matches."""
        if self.literal:
            return path == self.prefix
        if self.literal_end:
            return path.endswith(self.literal_end)
        return path.startswith(self.prefix) and self._matched(path, whole=True) is not None

    def matched_beginning(self, path: str) -> str | None:
        """The shortest beginning of a path that matches and ends where a name ends; None where there is none."""
        if self.literal:
            return self.prefix if f"{path}/".startswith(f"{self.prefix}/") else None
        if not path.startswith(self.prefix):
            return None
        count = self._matched(path, whole=False)
        if count is None:
            return None
        return self.prefix + "/".join(path[len(self.prefix) :].split("/")[:count])

    def _matched(self, path: str, *, whole: bool) -> int | None:
        """How many names after the prefix are matched."""
        names = path[len(self.prefix) :].split("/")
        first = self.chunks[0]
        if not _fit(first, names, 0):
            return None
        position = len(first)
        if len(self.chunks) == 1:
            return position if position == len(names) or not whole else None
        *middle, last = self.chunks[1:]
        # Where each chunk is taken as early as possible, all later ones have the most room: no need to go back.
        for chunk in middle:
            start = _first_fit(chunk, names, position)
            if start is None:
                return None
            position = start + len(chunk)
        if not last:  # `**` at the end stands for one name at least
            return (len(names) if whole else position + 1) if position < len(names) else None
        if not whole:
            start = _first_fit(last, names, position)
            return None if start is None else start + len(last)
        start = len(names) - len(last)
        return len(names) if start >= position and _fit(last, names, start) else None


def wildcard(pattern: str, *, is_path: bool = True) -> Wildcard:
    """Read a pattern without a slash at its beginning or end. Raises NeverMatches.

    `is_path`: `**` between slashes stands for any number of directories; without it, for any text.
    """
    special = _SPECIAL.search(pattern)
    if special is None:
        return Wildcard(pattern, True, ())
    end = pattern[1:]
    if end and pattern[0] == "*" and not is_path and not _SPECIAL.search(end):
        return Wildcard("", False, (), end)
    # As git does, the literal beginning is taken off first, even in the middle of a name: the rest of `a**/b` begins
    # with `**/`, though the manual says that such stars are ordinary ones.
    chunks: list[tuple[_Name, ...]] = []
    chunk: list[_Name] = []
    for name in _names(pattern[special.start() :], is_path=is_path):
        if name is _ANY_DEPTH:
            chunks.append(tuple(chunk))
            chunk = []
        else:
            chunk.append(name)
    chunks.append(tuple(chunk))
    inner = [chunk for chunk in chunks[1:-1] if chunk]
    return Wildcard(pattern[: special.start()], False, (chunks[0], *inner, *chunks[1:][-1:]))


def _fit(chunk: Sequence[_Name], names: Sequence[str], start: int) -> bool:
    if start + len(chunk) > len(names):
        return False
    return all(wanted.match(names[place]) for place, wanted in enumerate(chunk, start))


def _first_fit(chunk: Sequence[_Name], names: Sequence[str], start: int) -> int | None:
    return next((place for place in range(start, len(names) - len(chunk) + 1) if _fit(chunk, names, place)), None)


def _names(pattern: str, *, is_path: bool) -> list[_Name | None]:
    """What each name must match, and None for `**` between slashes."""
    names: list[_Name | None] = []
    pieces: list[str | None] = []  # regular expressions for one character each, and None for stars
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "\\":
            if position == len(pattern):
                raise NeverMatches
            character = pattern[position]
            position += 1
            if character != "/":
                pieces.append(re.escape(character))
            elif is_path and _is_any_depth(pieces):  # to git, `**\\/` stands for one directory at least
                names.append(_name([_STAR], is_path=is_path))
        elif character == "*":
            pieces.append(_STAR)
        elif character == "?":
            pieces.append(".")
        elif character == "[":
            piece, position = _character_set(pattern, position)
            pieces.append(piece)
        elif character != "/":
            pieces.append(re.escape(character))
        if character == "/":
            names.append(_name(pieces, is_path=is_path))
            pieces = []
    return [*names, _name(pieces, is_path=is_path)]


def _name(pieces: Sequence[str | None], *, is_path: bool) -> _Name | None:
    """The regular expression for one name; None for `**` between slashes."""
    if is_path and _is_any_depth(pieces):
        return _ANY_DEPTH
    texts = [""]
    for piece in pieces:
        if piece is not _STAR:
            texts[-1] += piece
        elif len(texts) == 1 or texts[-1]:  # several stars are as one
            texts.append("")
    first, *middle, last = texts if len(texts) > 1 else ("", texts[0])
    if len(texts) == 1:
        return re.compile(last + r"\Z", re.DOTALL)
    # What stands between two stars is taken where it comes first, and never again: a lookahead does not go back into
    # what it matched. Python has atomic groups, which would say the same, since 3.11 only.
    once = "".join(f"(?=(?P<g{number}>.*?{text}))(?P=g{number})" for number, text in enumerate(middle))
    return re.compile(f"{first}{once}.*{last}\\Z", re.DOTALL)


def _is_any_depth(pieces: Sequence[str | None]) -> bool:
    return len(pieces) > 1 and not any(pieces)


def _character_set(pattern: str, position: int) -> tuple[str, int]:
    """The regular expression for the set after `[`, and where the pattern goes on. Raises NeverMatches."""
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    start = position
    members: list[str] = []
    before = ""  # the character that a range may begin with
    while pattern[position : position + 1] != "]" or position == start:
        if before and pattern.startswith("-", position) and pattern[position + 1 : position + 2] not in ("", "]"):
            end, position = _one_character(pattern, position + 1)
            if before <= end:
                members.append(f"{re.escape(before)}-{re.escape(end)}")
            before = ""
            continue
        named = _named_class(pattern, position) if pattern.startswith("[:", position) else None
        if named is not None:
            member, position = named
            before = ""
        else:
            before, position = _one_character(pattern, position)
            member = re.escape(before)
        members.append(member)
    inside = "".join(members)
    if not inside:
        return ("." if negated else "(?!)"), position + 1
    return f"[{'^' if negated else ''}{inside}]", position + 1


def _one_character(pattern: str, position: int) -> tuple[str, int]:
    """A character, also behind a backslash, and where the pattern goes on. Raises NeverMatches at its end."""
    position += pattern.startswith("\\", position)
    if position >= len(pattern):
        raise NeverMatches
    return pattern[position], position + 1


def _named_class(pattern: str, position: int) -> tuple[str, int] | None:
    """The expression for a class such as `[:digit:]` in a set, and where the pattern goes on; None without `:]`.

    Raises NeverMatches for a class that is not known, and where no `]` follows.
    """
    close = pattern.find("]", position + 2)
    if close < 0:
        raise NeverMatches
    if close < position + 3 or pattern[close - 1] != ":":
        return None
    named = _CLASSES.get(pattern[position + 2 : close - 1], "")
    if not named:
        raise NeverMatches
    return named, close + 1
