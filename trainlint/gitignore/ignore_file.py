"""One ignore file: its lines as rules, and what it says of a path."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.gitignore.wildcards import NeverMatches, Wildcard, wildcard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    wildcard: Wildcard
    negated: bool
    """Whether the line begins with `!`, so that what matches is not ignored after all."""
    directories_only: bool
    of_path: bool
    """Whether it is matched with the path from the ignore file's directory; else with the last name alone."""


class IgnoreFile:
    """The rules of one ignore file. Texts are bytes read as Latin-1: to git, too, a character is a byte."""

    def __init__(self, data: bytes, *, ignore_case: bool = False) -> None:
        text = data.decode("latin-1")
        self._rules = tuple(_rules(text.lower() if ignore_case else text))
        self._ignore_case = ignore_case
        # Most rules can be passed by quickly: by a look-up, and by calls of Python's that take many texts at once.
        names, paths = ([rule.wildcard for rule in self._rules if rule.of_path is of_path] for of_path in (False, True))
        self._names = frozenset(each.prefix for each in names if each.literal)
        self._ends = tuple(each.literal_end for each in names if each.literal_end)
        self._beginnings = tuple(each.prefix for each in names if each.prefix and not each.literal)
        # Of these, the whole pattern is one name, and so one regular expression.
        others = [each.chunks[0][0] for each in names if not (each.prefix or each.literal_end)]
        self._other_names = [each.match for each in others]
        self._path_beginnings = tuple(each.prefix for each in paths if each.prefix)
        self._other_paths = [each for each in paths if not each.prefix]

    def ignores(self, name: str, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None where no rule speaks of it.

        Args:
            name: the last name of the path.
            path: from the ignore file's directory, with slashes, as Latin-1 like the rules.
            is_directory: whether it is a directory, and no link to one.
        """
        if self._ignore_case:
            name, path = name.lower(), path.lower()
        if not self._may_speak_of(name, path):
            return None
        for rule in self._rules:
            if rule.directories_only and not is_directory:
                continue
            if rule.wildcard.matches(path if rule.of_path else name):
                return not rule.negated
        return None

    def _may_speak_of(self, name: str, path: str) -> bool:
        return (
            name in self._names
            or name.endswith(self._ends)
            or name.startswith(self._beginnings)
            or path.startswith(self._path_beginnings)
            or any(match(name) for match in self._other_names)
            or any(other.matches(path) for other in self._other_paths)
        )


def _rules(text: str) -> Iterator[Rule]:
    """The rules, the strongest first: the last line that matches decides. Of equal lines only the last counts."""
    lines = text.removeprefix("\xef\xbb\xbf").split("\n")
    for line in dict.fromkeys(reversed(lines)):
        rule = _rule(line)
        if rule is not None:
            yield rule


def _rule(line: str) -> Rule | None:
    """The rule of a line; None where there is none, or one that can match nothing."""
    if line.startswith("#"):
        return None
    line = _without_spaces_at_the_end(line.removesuffix("\r").partition("\0")[0])
    negated = line.startswith("!")
    line = line[negated:]
    directories_only = line.endswith("/")
    line = line[: len(line) - directories_only]
    of_path = "/" in line
    line = line.removeprefix("/")
    if not line:
        return None
    try:
        return Rule(wildcard(line, is_path=of_path), negated, directories_only, of_path)
    except NeverMatches:
        return None


def _without_spaces_at_the_end(line: str) -> str:
    """The line without its last spaces, but for one after a backslash that is not itself escaped."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + line[len(stripped) : len(stripped) + backslashes % 2]
