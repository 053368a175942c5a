"""Losses and parameters of runs with and without a fix, and what is said of them."""

from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Safety
from trainlint_probe.verify.compare import compare, difference, first_difference, mean_change
from trainlint_probe.verify.result import End, Likeness, Trial

FALLING = tuple(2.0 * 0.95**step for step in range(20))
LOSSES = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6).map(tuple)


def run(losses: tuple[float, ...] = FALLING, parameters: str = "a", norm: float | None = 5.0) -> Trial:
    return Trial(End.WINDOW_CLOSED, (10.0,) * 5, losses, parameters, norm)


def off_by(share: float, *, since: int = 3) -> tuple[float, ...]:
    return tuple(loss * (1 + share * (step >= since)) for step, loss in enumerate(FALLING))


class TestWhatNeedsNoTolerance:
    def test_the_same_bits(self) -> None:
        found = compare([run(), run()], [run()], Safety.SAFE)
        assert found.likeness is Likeness.IDENTICAL
        assert found.sentence == "all 20 losses and the parameters are the same bit for bit"
        assert (found.noise, found.change, found.first_difference, found.same_parameters) == (0.0, 0.0, None, True)

    def test_where_no_parameters_were_found_only_losses_are_spoken_of(self) -> None:
        found = compare([run(parameters="", norm=None)] * 2, [run(parameters="", norm=None)], Safety.SAFE)
        assert found.sentence == "all 20 losses are the same bit for bit"

    def test_one_unchanged_run_tells_nothing_of_noise(self) -> None:
        assert compare([run()], [run()], Safety.SAFE).noise is None

    def test_a_loss_more_or_less(self) -> None:
        found = compare([run(), run()], [run(FALLING[:-1])], Safety.UNSAFE)
        assert found.likeness is Likeness.DIFFERENT
        assert found.sentence == "backward is called on 20 losses without the fix, and on 19 with it"

    def test_a_script_that_is_not_sure_itself_how_often_it_calls_backward(self) -> None:
        found = compare([run(), run(FALLING[:15])], [run(FALLING[:12])], Safety.UNSAFE)
        assert found.likeness is Likeness.UNKNOWN
        assert found.sentence.startswith("unchanged runs call backward on 15 to 20 losses")

    @pytest.mark.parametrize("bad", [nan, inf])
    def test_a_loss_that_becomes_no_number(self, bad: float) -> None:
        found = compare([run(), run()], [run((*FALLING[:-1], bad))], Safety.UNSAFE)
        assert found.likeness is Likeness.DIFFERENT

    def test_a_training_that_is_no_number_with_and_without_the_fix_is_the_same(self) -> None:
        broken = run((*FALLING[:-1], nan))
        assert compare([broken, broken], [broken], Safety.SAFE).likeness is Likeness.IDENTICAL

    def test_nothing_seen_is_nothing_known(self) -> None:
        found = compare([run((), "", None)] * 2, [run((), "", None)], Safety.UNSAFE)
        assert (found.likeness, found.losses) == (Likeness.UNKNOWN, 0)


class TestFixesThatPromiseTheSameBits:
    def test_the_last_bit_of_one_loss_breaks_the_promise(self) -> None:
        found = compare([run(), run()], [run(off_by(1e-7), "b")], Safety.SAFE)
        assert found.likeness is Likeness.DIFFERENT
        assert found.first_difference == 4
        assert "the fix promises the same bits, and losses differ from number 4 of 20 on, by 1e-05% at most" in (
            found.sentence
        )

    def test_other_parameters_at_the_end_break_it_too(self) -> None:
        found = compare([run(), run()], [run(parameters="b", norm=5.1)], Safety.SAFE)
        assert found.likeness is Likeness.DIFFERENT
        assert "all losses are the same, and the parameters at the end are not (their norm by 2%)" in found.sentence

    def test_a_device_that_never_rounds_alike_is_compared_with_itself(self) -> None:
        before = [run(off_by(share), f"{share}") for share in (0.0, 1e-6, 2e-6)]
        found = compare(before, [run(off_by(1.5e-6), "x"), run(off_by(0.5e-6), "y")], Safety.SAFE)
        assert found.likeness is Likeness.WITHIN_NOISE
        assert found.noise == pytest.approx(2e-6, rel=1e-3)
        assert found.same_parameters is None

    def test_more_than_that_noise_is_a_change(self) -> None:
        before = [run(off_by(share), f"{share}") for share in (0.0, 1e-6, 2e-6)]
        assert compare(before, [run(off_by(1e-4), "x")], Safety.SAFE).likeness is Likeness.DIFFERENT

    def test_a_script_that_differs_from_itself_by_far_tells_nothing(self) -> None:
        before = [run(off_by(share), f"{share}") for share in (0.0, 0.2, 0.4)]
        found = compare(before, [run(off_by(0.3), "x")], Safety.SAFE)
        assert found.likeness is Likeness.UNKNOWN
        assert "no change would show; give --seed" in found.sentence

    def test_even_there_a_training_that_explodes_is_a_change(self) -> None:
        before = [run(off_by(share), f"{share}") for share in (0.0, 0.2, 0.4)]
        exploding = tuple(2.0 * 1.5**step for step in range(20))
        assert compare(before, [run(exploding, "x")], Safety.SAFE).likeness is Likeness.DIFFERENT


class TestFixesThatMayRoundOrDrawOtherwise:
    @pytest.mark.parametrize("safety", [Safety.NUMERICS, Safety.UNSAFE])
    def test_rounding_is_within_tolerance(self, safety: Safety) -> None:
        found = compare([run(), run()], [run(off_by(1e-4), "b")], safety)
        assert found.likeness is Likeness.WITHIN_TOLERANCE

    def test_a_learning_rate_of_ten_times_is_not(self) -> None:
        faster = tuple(2.0 * 0.6**step for step in range(20))
        found = compare([run(), run()], [run(faster, "b")], Safety.NUMERICS)
        assert found.likeness is Likeness.DIFFERENT
        assert found.mean_change is not None
        assert found.mean_change.high < -0.5

    def test_other_batches_of_the_same_kind_are_alike_on_average(self) -> None:
        first, second = (drawn(seed, steps=400) for seed in (1, 2))
        found = compare([run(first), run(first)], [run(second, "b")], Safety.UNSAFE)
        assert found.likeness is Likeness.ALIKE_ON_AVERAGE
        assert "as with other random numbers" in found.sentence

    def test_ten_such_steps_settle_nothing(self) -> None:
        first, second = (drawn(seed, steps=20, spread=0.5) for seed in (1, 2))
        found = compare([run(first), run(first)], [run(second, "b")], Safety.UNSAFE)
        assert found.likeness is Likeness.UNKNOWN
        assert "raise --steps" in found.sentence

    def test_few_losses_that_differ_by_far_differ(self) -> None:
        found = compare([run(FALLING[:6])] * 2, [run(off_by(0.5)[:6], "b")], Safety.UNSAFE)
        assert found.likeness is Likeness.DIFFERENT
        assert found.mean_change is None

    def test_runs_that_differ_from_one_another_widen_the_interval(self) -> None:
        alike = mean_change([run()] * 3, [run(off_by(0.02, since=0))] * 3)
        apart = mean_change(
            [run(off_by(share, since=0)) for share in (-0.1, 0.0, 0.1)], [run(off_by(0.02, since=0))] * 3
        )
        assert alike is not None
        assert apart is not None
        assert alike.value == pytest.approx(0.02)
        assert apart.value == pytest.approx(0.02)
        assert apart.high - apart.low > 2 * (alike.high - alike.low)


def drawn(seed: int, steps: int, spread: float = 0.1) -> tuple[float, ...]:
    """Losses that stay where they are but for what each batch brings."""
    random = Random(seed)
    return tuple(2.0 * (1 + random.gauss(0, spread)) for _ in range(steps))


class TestDifference:
    @given(LOSSES)
    def test_a_run_does_not_differ_from_itself(self, losses: tuple[float, ...]) -> None:
        assert difference(run(losses), run(losses)) == 0
        assert first_difference(run(losses), run(losses)) is None

    @given(LOSSES, LOSSES)
    def test_a_difference_is_seen_by_both_or_by_neither(
        self, first: tuple[float, ...], second: tuple[float, ...]
    ) -> None:
        assert (difference(run(first), run(second)) == 0) == (first_difference(run(first), run(second)) is None)

    def test_losses_near_zero_are_held_against_the_median_one(self) -> None:
        assert difference(run((1.0, 1.1, 1e-9)), run((1.0, 1.1, 2e-9))) < 1e-6

    def test_the_norm_of_the_parameters_counts_too(self) -> None:
        assert difference(run(norm=1.0), run(norm=1.5)) == pytest.approx(1 / 3)
