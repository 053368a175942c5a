"""The interval around a ratio of step times: what must hold of it for any times at all, and how often it is wrong."""

from math import exp, gamma, pi, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.ratio import STUDENT, Pair, ratio_of_means

TIMES = st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=6).map(tuple)
PAIRS = st.lists(st.builds(Pair, TIMES, TIMES), min_size=2, max_size=5)
FEW = settings(max_examples=30, deadline=None)


@given(PAIRS)
@FEW
def test_the_ratio_lies_in_its_interval(pairs: list[Pair]) -> None:
    found = ratio_of_means(pairs)
    assert found.low <= found.value * (1 + 1e-9)
    assert found.value <= found.high * (1 + 1e-9)


@given(PAIRS)
@FEW
def test_the_versions_exchanged_give_the_inverse(pairs: list[Pair]) -> None:
    found, exchanged = ratio_of_means(pairs), ratio_of_means([Pair(pair.after, pair.before) for pair in pairs])
    assert exchanged.value == pytest.approx(1 / found.value)
    assert exchanged.low == pytest.approx(1 / found.high)


@given(PAIRS, st.floats(0.1, 10.0))
@FEW
def test_steps_that_take_k_times_as_long_make_the_ratio_k_times_as_large(pairs: list[Pair], k: float) -> None:
    slower = [Pair(pair.before, tuple(k * ms for ms in pair.after)) for pair in pairs]
    assert ratio_of_means(slower).value == pytest.approx(k * ratio_of_means(pairs).value)


@given(st.floats(0.1, 1000.0), st.floats(0.1, 1000.0), st.integers(2, 30))
@FEW
def test_times_that_never_vary_leave_no_doubt(before: float, after: float, count: int) -> None:
    found = ratio_of_means([Pair((before,) * 5, (after,) * 5)] * count)
    assert (found.low, found.high) == pytest.approx((after / before, after / before))


def test_a_machine_that_slows_down_meanwhile_hides_nothing() -> None:
    """Both runs of a pair see the same load, so a change of 20% shows though the load triples."""
    loads = (1.0, 1.5, 2.0, 2.5, 3.0)
    found = ratio_of_means([Pair((20.0 * load, 21.0 * load), (16.0 * load, 16.8 * load)) for load in loads])
    assert found.value == pytest.approx(0.8)
    assert found.high < 0.9


def test_many_steps_of_few_runs_are_not_taken_for_many_observations() -> None:
    """Runs that differ by 10% from one another cannot show a difference of 3%, however many steps they have."""
    found = ratio_of_means([Pair((20.0,) * 200, (20.0 * factor,) * 200) for factor in (0.90, 1.00, 1.01)])
    assert found.low < 0.92
    assert found.high > 1.0


@pytest.mark.parametrize("freedom", range(1, 21))
def test_student_exceeds_the_quantile_once_in_a_hundred(freedom: int) -> None:
    """By adding up the density between the two quantiles, in 20,000 parts."""
    quantile, parts = STUDENT[freedom - 1], 20_000
    scale = gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))
    width = 2 * quantile / parts
    middles = (-quantile + (part + 0.5) * width for part in range(parts))
    inside = width * sum(scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2) for x in middles)
    assert inside == pytest.approx(0.98, abs=2e-4)


@pytest.mark.parametrize("count", [3, 6])
def test_the_interval_holds_the_truth_as_often_as_it_says(count: int) -> None:
    """Runs of one program, whose luck makes them 4% slower or faster: 1 should be inside 98 times in 100."""
    random = Random(1)
    inside = 0
    for _ in range(1000):
        loads = [1 + 0.3 * random.random() for _ in range(count)]
        pairs = [Pair((load * exp(random.gauss(0, 0.04)),), (load * exp(random.gauss(0, 0.04)),)) for load in loads]
        found = ratio_of_means(pairs)
        inside += found.low <= 1 <= found.high
    assert 965 <= inside <= 995  # the numbers are seeded


def test_one_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="two are the least"):
        ratio_of_means([Pair((1.0,), (1.0,))])


@pytest.mark.parametrize("times", [(), (0.0,)])
def test_a_run_without_steps_or_time_is_refused(times: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"without steps|no time"):
        ratio_of_means([Pair((1.0,), (1.0,)), Pair((1.0,), times)])
