"""Which lines of a file differ from another state of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainlint.history.changed_lines import changed_lines, likeness

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


def test_added_and_changed_lines_are_told_and_removed_ones_are_not() -> None:
    before = ["one", "two", "three", "four"]
    assert changed_lines(before, before) == frozenset()
    assert changed_lines(before, ["zero", "one", "two", "3", "four", "five"]) == {1, 4, 6}
    assert changed_lines(before, ["one", "four"]) == frozenset()
    assert changed_lines([], before) == {1, 2, 3, 4}
    assert changed_lines(before, []) == frozenset()


@given(before=LINES, after=LINES)
def test_what_is_not_told_stands_in_both_in_the_same_order(before: list[str], after: list[str]) -> None:
    changed = changed_lines(before, after)
    assert changed <= set(range(1, len(after) + 1))
    rest = iter(before)
    assert all(line in rest for number, line in enumerate(after, 1) if number not in changed)


@given(lines=LINES, place=st.integers(0, 12), new=st.lists(st.just("new"), min_size=1, max_size=3))
def test_exactly_the_inserted_lines_are_told(lines: list[str], place: int, new: list[str]) -> None:
    place = min(place, len(lines))
    after = [*lines[:place], *new, *lines[place:]]
    assert changed_lines(lines, after) == set(range(place + 1, place + 1 + len(new)))


def test_long_texts_are_compared_in_a_short_time() -> None:
    before = [f"x_{number % 7} = {number % 50}" for number in range(20_000)]
    after = ["first", *before[:10_000], "middle", *before[10_000:], "last"]
    assert {1, 10_002, 20_003} <= changed_lines(before, after)


@given(one=LINES, other=LINES)
def test_likeness_is_a_share(one: list[str], other: list[str]) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == (1 if one else 0)
