"""Questions that ask each other, in circles, too: each is answered once, and none goes on without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trainlint.analysis.types.values import UNKNOWN, Value

_DEEPEST = 50
"""How many questions back a value is followed."""
_FARTHEST = 5
"""How many functions away, by calls up or down, a value is followed."""
_LONGEST = 600
"""How many questions one question from outside may ask in all."""
_MOST_LONG = 16
"""So many questions from outside may be that long in one file: where all values feed on each other, there is no end."""
_SHORT = 60
"""How many questions one question from outside may ask after those."""
_TOO_DEEP, _TOO_FAR, _TOO_LONG, _FIRST = 1, 2, 4, 8
"""What may cut an answer short besides the questions under way, whose bits start at _FIRST."""
_MOST_NUMBERED = 1_000
"""Of so many questions at most it is kept what led into circles: in a file of thousands of functions in one circle, the
numbers would grow with each of them."""
_MOST_CUT = 8
"""Of the answers to one question that were cut short, the last so many are looked at."""


class _ProvisionalAnswer(NamedTuple):
    """An answer that was cut short, and when it is the answer again.

    That is while the questions that it ran into are under way, and none of those that it went past. Where the way was
    too deep, it is besides no less deep.
    """

    answer: Value
    into: int
    past: int
    depth: int
    levels: int


class Evaluator:
    """The questions of one file, by keys that are compared by identity, and what is known of their answers."""

    def __init__(self) -> None:
        self.known: dict[object, Value] = {}
        """Answers that hold wherever they are asked for."""
        self._cut: dict[object, list[_ProvisionalAnswer]] = {}
        self._bits: dict[object, int] = {}
        """A bit for each question that circles lead through."""
        self._busy: dict[object, None] = {}
        """The questions under way, outermost first."""
        self._busy_bits = 0
        """Those of them that have a bit, together."""
        self._steps = 0
        self._limit = _LONGEST
        self._long = 0
        """How many questions from outside were too long."""
        self._levels = 0
        """How many functions away the current answer comes from."""
        self._into = 0
        """What cut the current answer short: questions under way, _TOO_DEEP, _TOO_LONG. 0 while it is whole."""
        self._past = 0
        """The questions that the current answer asked and whose own answers were cut short."""

    def follow(self, key: object, answer: Callable[..., Value], *question: object) -> Value:
        """Answer a question once, and not at all where it runs in a circle or too far.

        What a circle cut short depends on where the circle was entered. It is kept for those who enter it likewise.
        """
        known = self.known.get(key)
        if known is not None:
            return known
        busy = self._busy
        if not busy:
            self._begin()
        self._steps += 1
        if key in busy:
            into = self._bit(key)
            self._into |= into
            self._busy_bits |= into
            return UNKNOWN
        if key in self._cut:
            cut = self._cut_alike(key)
            if cut is not None:
                self._into |= cut.into
                self._past |= cut.past
                return cut.answer
        if len(busy) >= _DEEPEST or self._steps > self._limit:
            self._into |= _TOO_DEEP if len(busy) >= _DEEPEST else _TOO_LONG
            return UNKNOWN
        outer_into, outer_past = self._into, self._past
        self._into = self._past = 0
        busy[key] = None
        bits = self._bits
        if key in bits:
            self._busy_bits |= bits[key]
        try:
            found = answer(*question)
        finally:
            del busy[key]
            if key in bits:
                self._busy_bits &= ~bits[key]
            into, past = self._into, self._past
            self._into, self._past = outer_into, outer_past
        if not into or self._is_whole(key, found, into, past):
            self.known[key] = found
        return found

    def _begin(self) -> None:
        """Begin a question from outside."""
        if self._steps > _LONGEST:
            self._long += 1
            if self._long >= _MOST_LONG:
                self._limit = _SHORT
        if len(self._bits) > _MOST_NUMBERED:
            self._bits.clear()
            self._cut.clear()
        self._steps = self._into = self._past = 0

    def one_level_deeper(self, answer: Callable[..., Value], *question: object) -> Value:
        """Answer from another function, a caller or a callee, but not without end: the ways double with each level."""
        if self._levels >= _FARTHEST:
            self._into |= _TOO_FAR
            return UNKNOWN
        self._levels += 1
        try:
            return answer(*question)
        finally:
            self._levels -= 1

    def _is_whole(self, key: object, answer: Value, into: int, past: int) -> bool:
        """Whether an answer ran into nothing but its own question; else it is kept, and cuts short who asked for it."""
        own = self._bit(key)
        into &= ~own
        if not into:
            return True
        past |= own
        if self._busy:
            self._into |= into
            self._past |= past
        if not (into & _TOO_LONG and self._busy):
            cut = _ProvisionalAnswer(answer, into, past, len(self._busy), self._levels)
            kept = self._cut.setdefault(key, [])  # of a deque, the empty one takes seven times as much memory
            if len(kept) == _MOST_CUT:
                del kept[0]
            kept.append(cut)
        return False

    def _cut_alike(self, key: object) -> _ProvisionalAnswer | None:
        """An earlier answer that was cut short just as it would be now."""
        busy, depth = self._busy_bits, len(self._busy)
        others = ~(busy | _TOO_DEEP | _TOO_FAR | _TOO_LONG)
        for cut in self._cut[key]:
            into = cut.into
            if into & others or cut.past & busy:
                continue
            if into & _TOO_LONG and depth:
                continue  # another question may go on
            if (into & _TOO_DEEP and cut.depth > depth) or (into & _TOO_FAR and cut.levels > self._levels):
                continue  # there is more room now
            return cut
        return None

    def _bit(self, key: object) -> int:
        bits = self._bits
        if key not in bits:
            bits[key] = _FIRST << len(bits)
        return bits[key]
