"""Which lines of a file differ from another state of it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

_LONG = 3_000
"""Lines between the first and the last difference from which on frequent lines are not used to align two texts: to
compare texts line by line takes time in proportion to the square of their lengths."""


def changed_lines(before: Sequence[str], after: Sequence[str]) -> frozenset[int]:
    """The 1-based lines of `after` that are new or different. Line ends are not compared."""
    start = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        start += 1
    end = 0
    most = min(len(before), len(after)) - start
    while end < most and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old or not new:
        return frozenset(range(start + 1, start + 1 + len(new)))
    long = max(len(old), len(new)) > _LONG
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=long)
    return frozenset(
        start + 1 + number
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag != "equal"
        for number in range(first, last)
    )


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of lines that two texts have in common, whatever their order; 1.0 where both are the same."""
    if not one or not other:
        return 0.0
    common = (Counter(one) & Counter(other)).total()
    return 2 * common / (len(one) + len(other))
