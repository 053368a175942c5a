"""Path patterns with git's meaning, matched in time of at most pattern length times path length.

Ignore files and the path patterns of trainlint's own configuration share this module. A pattern is matched name by
name; `fnmatch` makes expressions for names in which no part of a match is tried twice. The pathspec library makes one
ordinary expression of a whole pattern: `*a*a*a*a*a*b` takes it 8 s for a name of 100 letters, and to import it takes
longer than to judge a small file. That is why it is not used.

Nothing is matched by classes such as `[[:digit:]]` and by backslashes in a set, which ignore files hardly have.
"""

from __future__ import annotations

import re
from fnmatch import translate

from trainlint.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Name = str | re.Pattern[str]
    """What one name of a path must be or match."""
    Names = tuple[Name | None, ...]

ANY_DEPTH = None
"""Stands for `**`: any number of directories."""
_SPECIAL = lazy(r"[*?\[\\]")
_SETS = lazy(r"(\[[!^]?\]?[^\]]*\])")
_PIECE = lazy(r"\\(?P<escaped>.)|\[(?P<negated>[!^]?)(?P<set>\]?[^\]\\]+)\]|(?P<plain>[^\\\[]+)", re.DOTALL)


class NeverMatches(ValueError):
    """A pattern that matches no path: a `[` that is not closed, or a backslash at the end."""


def names_of(pattern: str) -> Names:
    """Read a pattern without a slash at its beginning or end, name by name. Raises NeverMatches."""
    names = tuple(_name(name) for name in _split(pattern))
    # Behind a slash, `**` at the end stands for one name at least.
    return (*names, _name("*")) if names[-1] is ANY_DEPTH else names


def _split(pattern: str) -> list[str]:
    """The names of a pattern; a slash in a set, as in `[/a]`, stands between no two of them."""
    closed = pattern.rfind("]") + 1  # behind it, no `[` is closed: looking for its end would take quadratic time
    names = [""]
    for number, part in enumerate((*_SETS.split(pattern[:closed]), "", pattern[closed:])):
        first, *others = [part] if number % 2 else part.split("/")
        names[-1] += first
        names += others
    return names


def match(names: Names, path: Sequence[str]) -> bool:
    """Whether all names of a path are matched."""
    position = place = 0
    after_any, tried = -1, 0
    while place < len(path):
        if position < len(names):
            wanted = names[position]
            if wanted is ANY_DEPTH:
                position += 1
                # Where what stands before the next `**` is found as early as it can be, the rest has the most room.
                after_any, tried = position, place
                continue
            if path[place] == wanted if isinstance(wanted, str) else wanted.match(path[place]):
                position += 1
                place += 1
                continue
        if after_any < 0:
            return False
        tried += 1
        position, place = after_any, tried
    return all(wanted is ANY_DEPTH for wanted in names[position:])


def name_expression(name: str) -> str:
    """The regular expression for one name. Raises NeverMatches."""
    text, place = "", 0
    while place < len(name):
        piece = _PIECE.match(name, place)
        if piece is None or "[:" in (piece["set"] or ""):
            raise NeverMatches
        if piece["set"]:
            text += f"[{'!' if piece['negated'] else ''}{piece['set']}]"
        else:
            text += piece["plain"] or re.sub(r"([*?\[])", r"[\1]", piece["escaped"])
        place = piece.end()
    return translate(text)


def _name(name: str) -> Name | None:
    if len(name) > 1 and not name.strip("*"):
        return ANY_DEPTH
    return re.compile(name_expression(name)) if _SPECIAL.search(name) else name
