"""Questions that ask each other in circles: how often they are worked out, and what then holds. Work is counted."""

from __future__ import annotations

from collections import Counter

import pytest

from trainlint.analysis.types.evaluator import Evaluator
from trainlint.analysis.types.values import NUMBER, UNKNOWN, Value, merge


class Asked:
    """Names that are each what others may be, and how often each was worked out."""

    def __init__(self, others: dict[str, list[str]]) -> None:
        """`others` says of each name which names it may be; one that is no key is a number."""
        self.others = others
        self.questions = Evaluator()
        self.worked_out: Counter[str] = Counter()

    def value(self, name: str) -> Value:
        """What a name is."""
        return self.questions.follow(name, self._value, name)

    def _value(self, name: str) -> Value:
        self.worked_out[name] += 1
        others = self.others.get(name)
        return NUMBER if others is None else merge([self.value(other) for other in others])


def test_an_answer_is_worked_out_once() -> None:
    asked = Asked({"a": ["b", "c"], "b": ["n"], "c": ["b"]})
    assert asked.value("a") == NUMBER
    assert asked.value("c") == NUMBER
    assert set(asked.worked_out.values()) == {1}


def test_what_asks_for_itself_is_not_asked_again() -> None:
    asked = Asked({"a": ["a"]})
    assert asked.value("a") is UNKNOWN
    assert asked.worked_out == {"a": 1}


def test_an_answer_cut_short_by_a_circle_is_not_kept_for_those_outside_of_it() -> None:
    asked = Asked({"a": ["b"], "b": ["a", "n"]})
    first = asked.value("a")
    assert asked.value("b") == Asked(asked.others).value("b")
    assert asked.value("a") is first


def test_within_a_circle_it_is_kept_for_those_who_enter_likewise() -> None:
    names = [f"x{number}" for number in range(20)]
    asked = Asked({"head": names, **{name: ["shared"] for name in names}, "shared": ["head"]})
    asked.value("head")
    assert asked.worked_out["shared"] == 1


@pytest.mark.parametrize("count", [250, 500])
def test_where_all_feed_on_all_the_work_stays_in_proportion(count: int) -> None:
    others = {f"x{n}": [f"x{n * factor % count}" for factor in (3, 7, 11, 13)] for n in range(1, count)}
    asked = Asked(others)
    for name in others:
        asked.value(name)
    assert sum(asked.worked_out.values()) < 16 * 600 + 60 * count
