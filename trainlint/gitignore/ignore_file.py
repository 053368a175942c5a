"""One ignore file: its lines as rules, and what it says of a path."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainlint.gitignore.wildcards import NeverMatches, match, name_expression, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainlint.gitignore.wildcards import Names


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    names: Names
    """The path from the ignore file's directory; one name stands for the last name alone."""
    negated: bool
    """Whether the line begins with `!`, so that what matches is not ignored after all."""
    directories_only: bool
    of_path: bool
    text: str


class IgnoreFile:
    """The rules of one ignore file. Texts are bytes read as Latin-1: to git, too, a character is a byte."""

    def __init__(self, data: bytes, *, ignore_case: bool = False) -> None:
        text = data.decode("latin-1")
        self._rules = tuple(_rules(text.lower() if ignore_case else text))
        self._ignore_case = ignore_case
        self._has_paths = any(rule.of_path for rule in self._rules)
        # Most names are passed by quickly, by one expression for all rules of last names.
        self._any_name = re.compile("|".join(name_expression(rule.text) for rule in self._rules if not rule.of_path))

    def ignores(self, name: str, path: str, *, is_directory: bool) -> bool | None:
        """Whether a path is ignored; None where no rule speaks of it.

        Args:
            name: the last name of the path.
            path: from the ignore file's directory, with slashes, as Latin-1 like the rules.
            is_directory: whether it is a directory, and no link to one.
        """
        if self._ignore_case:
            name, path = name.lower(), path.lower()
        is_named = self._any_name.pattern and self._any_name.match(name)
        if not is_named and not self._has_paths:
            return None
        last, whole = (name,), path.split("/")
        for rule in self._rules:
            if (rule.of_path or is_named) and (is_directory or not rule.directories_only):
                if match(rule.names, whole if rule.of_path else last):
                    return not rule.negated
        return None


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
        # Of a last name, `**` is any text.
        names = names_of(line if of_path else line.replace("**", "*"))
    except NeverMatches:
        return None
    return Rule(names, negated, directories_only, of_path, line)


def _without_spaces_at_the_end(line: str) -> str:
    """The line without its last spaces, but for one after a backslash that is not itself escaped."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + line[len(stripped) : len(stripped) + backslashes % 2]
