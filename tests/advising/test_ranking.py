"""The order of the list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainlint.advising.item import Basis, Gain, Item
from trainlint.advising.ranking import ranked


def item(key: str, gain: Gain, *, after: tuple[str, ...] = (), wrong: bool = False) -> Item:
    return Item(key, key, "", (), gain, wrong, "", None, "", "", after)


def measured(low: float, high: float) -> Gain:
    return Gain(Basis.MEASURED, "", low, high)


PUBLISHED = Gain(Basis.PUBLISHED, "", 0.0, 0.3)
UNKNOWN = Gain(Basis.UNKNOWN, "")


def order(*items: Item) -> list[str]:
    return [one.key for one in ranked(items)]


def test_a_gain_of_another_program_changes_no_order() -> None:
    assert order(item("u", UNKNOWN), item("p", PUBLISHED), item("m", measured(0.15, 0.2))) == ["m", "u", "p"]


def test_wrong_results_come_before_speed() -> None:
    assert order(item("fast", measured(0.9, 0.9)), item("wrong", UNKNOWN, wrong=True)) == ["wrong", "fast"]


def test_nothing_comes_before_what_it_rests_on() -> None:
    assert order(item("b", measured(0.5, 0.6), after=("a",)), item("a", UNKNOWN)) == ["a", "b"]


def test_what_is_not_on_the_list_holds_nothing_up() -> None:
    assert order(item("b", measured(0.5, 0.6), after=("gone",)), item("a", UNKNOWN)) == ["b", "a"]


def test_what_was_measured_to_be_nothing_is_last() -> None:
    assert order(item("nothing", measured(0.0, 0.0)), item("u", UNKNOWN)) == ["u", "nothing"]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3), st.floats(0, 1)),
        max_size=10,
        unique_by=lambda row: row[0],
    )
)
def test_everything_is_listed_once(rows: list[tuple[int, list[int], float]]) -> None:
    items = [item(str(key), measured(low, 1.0), after=tuple(map(str, after))) for key, after, low in rows]
    assert sorted(order(*items)) == sorted(str(key) for key, _, _ in rows)


def test_what_a_gain_rests_on_comes_as_early_as_the_gain() -> None:
    items = [item("a", UNKNOWN), item("m", measured(0.2, 0.2)), item("b", measured(0.5, 0.6), after=("a",))]
    assert order(*items) == ["a", "b", "m"]
