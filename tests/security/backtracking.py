"""Counts the steps that a backtracking matcher takes, for tests of how patterns grow with the text.

It follows `re`'s own parse of a pattern, as `re` itself does but without its shortcuts, so that a count is the same on
each machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser as parser  # type: ignore[attr-defined]  # there is no other way to the parsed pattern
else:
    import sre_parse as parser

MOST = 400_000
"""Steps after which counting ends: no linear pattern takes so many for texts as short as those of the tests."""
BREAKER = "\0"
"""What stands at the end of an attack, so that the pattern has to try all ways before it fails."""

Then = Callable[[int], bool]


class TooMany(Exception):
    """More than MOST steps."""


def steps(pattern: str, flags: int, text: str, *, search: bool) -> int:
    """How many steps a matcher takes to find the pattern in a text, or to match it with all of the text."""
    counter = _Matcher(text, flags)
    tree = _parsed(pattern, flags)
    try:
        starts = range(len(text) + 1) if search else range(1)
        for start in starts:
            if counter.match(tree, 0, start, (lambda _: True) if search else (lambda end: end == len(text))):
                break
    except TooMany:
        return MOST
    return counter.count


def attacks(pattern: str, flags: int) -> set[tuple[str, str]]:
    """For each repetition of a pattern without an upper bound: what leads to it, and what is repeated.

    What leads to it may be repeated, too, for a search may begin anew at each of these places.
    """
    found = _repetitions(_parsed(pattern, flags), "")
    return {item for before, unit in found for item in ((before, unit), ("", before + unit)) if item[1]}


def _parsed(pattern: str, flags: int) -> list[Any]:
    tree: Any = parser.parse(pattern, flags)
    return list(tree)


def _repetitions(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for operation, argument in tree:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inner = argument
            if most is parser.MAXREPEAT or most > 50:
                for unit in _samples(inner):
                    yield before, unit
            yield from _repetitions(inner, before)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _repetitions(branch, before)
        elif name == "SUBPATTERN":
            yield from _repetitions(argument[3], before)
        elif name == "ATOMIC_GROUP":
            yield from _repetitions(argument, before)
        before += _sample([(operation, argument)])


def _samples(tree: Any) -> set[str]:
    """Some texts that a pattern matches: one that begins each branch, and some characters of a class."""
    tree = list(tree)
    if len(tree) == 1 and str(tree[0][0]) in ("IN", "ANY", "NOT_LITERAL"):
        return {c for c in " \t\na0_.(,\"'\\#-:" if _fits(tree[0], c)} or {_sample(tree)}
    found = {_sample(tree)}
    if len(tree) == 1 and str(tree[0][0]) == "SUBPATTERN":
        return _samples(tree[0][1][3])
    if len(tree) == 1 and str(tree[0][0]) == "BRANCH":
        return set().union(*(_samples(branch) for branch in tree[0][1][1]))
    return found


def _sample(tree: Any) -> str:
    """A text that a pattern matches, with each repetition once where it may be left out."""
    text = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            text += chr(argument)
        elif name in ("IN", "ANY", "NOT_LITERAL"):
            text += next((c for c in "a0 _.,(-=:\"'#\n" if _fits((operation, argument), c)), "x")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            text += _sample(argument[2]) * max(1, argument[0])
        elif name == "BRANCH":
            text += _sample(argument[1][0])
        elif name == "SUBPATTERN":
            text += _sample(argument[3])
        elif name == "ATOMIC_GROUP":
            text += _sample(argument)
    return text


def _fits(node: Any, character: str, flags: int = 0) -> bool:
    """Whether a part of a pattern that stands for one character stands for this one."""
    operation, argument = node
    name = str(operation)
    if name == "ANY":
        return bool(flags & re.DOTALL) or character != "\n"
    if name == "IN":
        return _in(argument, character, flags)
    same = character == chr(argument)
    if flags & re.IGNORECASE:
        same = character.lower() == chr(argument).lower()
    return same == (name == "LITERAL")


def _in(items: Any, character: str, flags: int) -> bool:
    if flags & re.IGNORECASE:
        return any(_in(items, c, 0) for c in {character.lower(), character.upper()})
    negated, found = False, False
    for operation, argument in items:
        name = str(operation)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            found = found or ord(character) == argument
        elif name == "RANGE":
            found = found or argument[0] <= ord(character) <= argument[1]
        elif name == "CATEGORY":
            found = found or _category(str(argument), character)
    return found != negated


def _category(name: str, character: str) -> bool:
    word, space, digit = character.isalnum() or character == "_", character.isspace(), character.isdecimal()
    inside = word if "WORD" in name else space if "SPACE" in name else digit
    return inside != ("_NOT_" in name)


class _Matcher:
    def __init__(self, text: str, flags: int) -> None:
        self.text = text
        self.flags = flags
        self.count = 0

    def match(self, tree: Any, index: int, at: int, then: Then) -> bool:
        """Whether the pattern from `index` on, and then what follows it, fits at a position."""
        self.count += 1
        if self.count > MOST:
            raise TooMany
        if index == len(tree):
            return then(at)
        operation, argument = tree[index]
        name = str(operation)

        def rest(end: int) -> bool:
            return self.match(tree, index + 1, end, then)

        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            fits = at < len(self.text) and _fits(tree[index], self.text[at], self.flags)
            return fits and rest(at + 1)
        if name == "AT":
            return self._stands(str(argument), at) and rest(at)
        if name == "SUBPATTERN":
            return self.match(argument[3], 0, at, rest)
        if name == "BRANCH":
            return any(self.match(branch, 0, at, rest) for branch in argument[1])
        if name in ("ASSERT", "ASSERT_NOT"):
            direction, inner = argument
            shortest, longest = inner.getwidth()
            starts = [at] if direction > 0 else range(max(0, at - longest), at - shortest + 1)
            found = any(
                self.match(inner, 0, start, (lambda _: True) if direction > 0 else (lambda end: end == at))
                for start in starts
            )
            return found == (name == "ASSERT") and rest(at)
        if name == "ATOMIC_GROUP":
            return self._once(argument, at, rest)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeat(name, argument, at, rest)
        return rest(at)  # a reference to a group: none of ours repeats one

    def _repeat(self, name: str, argument: Any, at: int, rest: Then) -> bool:
        least, most, inner = argument
        inner = list(inner)
        if len(inner) == 1 and str(inner[0][0]) in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._run(name, least, most, inner[0], at, rest)

        def again(times: int, at: int, previous: int) -> bool:
            def more(end: int) -> bool:
                return again(times + 1, end, at)

            if times < least:
                return self.match(inner, 0, at, more)
            stuck = times > least and at == previous
            if name == "MIN_REPEAT":
                return rest(at) or (times < most and not stuck and self.match(inner, 0, at, more))
            return (times < most and not stuck and self.match(inner, 0, at, more)) or rest(at)

        return again(0, at, -1)

    def _run(self, name: str, least: int, most: int, item: Any, at: int, rest: Then) -> bool:
        """A repetition of single characters, without a frame for each of them."""
        end = at
        while end < len(self.text) and end - at < most and _fits(item, self.text[end], self.flags):
            end += 1
            self.count += 1
        ends: Any = range(end, at + least - 1, -1)
        if name == "MIN_REPEAT":
            ends = range(at + least, end + 1)
        elif name == "POSSESSIVE_REPEAT":
            ends = [end] if end - at >= least else []
        return any(rest(place) for place in ends)

    def _once(self, tree: Any, at: int, rest: Then) -> bool:
        ends: list[int] = []

        def note(end: int) -> bool:
            ends.append(end)
            return True

        return self.match(tree, 0, at, note) and rest(ends[0])

    def _stands(self, name: str, at: int) -> bool:
        if "BOUNDARY" in name:
            before = at > 0 and _category("WORD", self.text[at - 1])
            after = at < len(self.text) and _category("WORD", self.text[at])
            return (before != after) == ("NON" not in name)
        if "BEGINNING" in name:
            lines = self.flags & re.MULTILINE and "STRING" not in name
            return at == 0 or bool(lines and self.text[at - 1] == "\n")
        lines = self.flags & re.MULTILINE and "STRING" not in name
        return at == len(self.text) or bool(lines and self.text[at] == "\n")
