"""From runs with and without a fix to one of four outcomes and its sentence."""

from dataclasses import replace

import pytest

from trainlint.finding import Safety
from trainlint_probe.verify.fixes import Edit, Proposal
from trainlint_probe.verify.judge import judged
from trainlint_probe.verify.order import Place
from trainlint_probe.verify.result import End, Kept, Likeness, Outcome, Trial, Verification
from trainlint_probe.verify.run import alternating

PROPOSAL = Proposal("TRN101", "loader-without-workers", Safety.UNSAFE, 1, (Edit("/home/a/train.py", "train.py", b""),))


def run(ms: float = 20.0, *, end: End = End.WINDOW_CLOSED, losses: tuple[float, ...] = (2.0, 1.5, 1.2)) -> Trial:
    times = tuple(ms * factor for factor in (0.99, 1.0, 1.01, 1.0))
    return Trial(end, times, losses, "a", 1.0, ("/home/a/train.py",), "AdamW.step")


def held(megabytes: float, ms: float = 20.0) -> Trial:
    return replace(run(ms), host_peak=round(megabytes * 1e6))


def of(before: list[Trial], after: list[Trial]) -> Verification:
    return judged(PROPOSAL, before, after)


def test_faster_and_the_same_is_verified() -> None:
    found = of([run()] * 4, [run(12.0)] * 3)
    assert found.outcome is Outcome.VERIFIED
    assert found.speed is not None
    assert found.speed.value == pytest.approx(0.6)
    assert found.sentence.startswith(
        "a step takes 12 ms with the fix and 20 ms without it (12 steps of each, in 3 runs): 40% less, between "
    )
    assert found.training is not None
    assert found.training.sentence == "all 3 losses and the parameters are the same bit for bit"
    assert (found.files, found.fixes, found.safety) == (("train.py",), 1, Safety.UNSAFE)


def test_as_fast_as_before_is_no_gain() -> None:
    found = of([run()] * 4, [run(20.1)] * 3)
    assert found.outcome is Outcome.NO_GAIN
    assert "no more than" in found.sentence or "more, between" in found.sentence


def test_slower_is_no_gain() -> None:
    found = of([run()] * 4, [run(30.0)] * 3)
    assert found.outcome is Outcome.NO_GAIN
    assert "50.0% more, between" in found.sentence


def test_half_a_percent_is_no_gain_however_sure() -> None:
    found = of([run()] * 8, [run(19.9)] * 7)
    assert found.outcome is Outcome.NO_GAIN


def test_a_machine_too_loud_to_tell_is_inconclusive() -> None:
    found = of([run()] * 4, [run(12.0), run(20.0), run(33.0)])
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "too uncertain (the median steps took 20 and 20 ms); raise --steps or --pairs" in found.sentence


def test_the_rehearsal_is_not_timed() -> None:
    found = of([run(500.0), run(), run(), run()], [run()] * 3)
    assert found.outcome is Outcome.NO_GAIN


def test_faster_and_wrong_is_a_changed_training() -> None:
    found = of([run()] * 4, [run(12.0, losses=(2.0, 9.0, 70.0))] * 3)
    assert found.outcome is Outcome.TRAINING_CHANGED
    assert found.training is not None
    assert found.training.likeness is Likeness.DIFFERENT
    assert found.training.sentence.startswith("losses differ from number 2 of 3 on")


class TestMemory:
    def test_a_fix_that_saves_memory_need_not_save_time(self) -> None:
        found = of([held(500)] * 4, [held(400)] * 3)
        assert found.outcome is Outcome.VERIFIED
        assert found.peak is not None
        assert "saves 100 MB" in found.peak.sentence

    def test_memory_that_costs_time_is_no_gain(self) -> None:
        assert of([held(500)] * 4, [held(400, ms=25.0)] * 3).outcome is Outcome.NO_GAIN

    def test_memory_is_not_verified_by_runs_that_may_be_much_slower(self) -> None:
        """That no loss of time was shown does not show that there is none."""
        found = of([held(500)] * 7, [held(430, ms) for ms in (15.0, 28.0, 18.0, 33.0, 20.0, 30.0)])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert "too uncertain" in found.sentence

    def test_few_runs_that_differ_by_chance_are_not_verified(self) -> None:
        found = of([held(0), held(510), held(505)], [held(430), held(441)])
        assert found.outcome is Outcome.NO_GAIN
        assert found.peak is not None
        assert found.peak.sentence.endswith("too few runs to tell whether that is the fix (--pairs 5 are enough)")

    def test_the_rehearsal_is_not_weighed(self) -> None:
        found = of([held(900), held(500), held(500)], [held(500)] * 2)
        assert found.outcome is Outcome.NO_GAIN

    def test_a_leak_that_is_gone_is_verified_by_what_a_step_leaves_behind(self) -> None:
        leaks, keeps_none = replace(run(), kept=Kept(1.0, 12.0)), replace(run(), kept=Kept(0.0, 0.0))
        found = of([leaks] * 4, [keeps_none] * 3)
        assert found.outcome is Outcome.VERIFIED
        assert found.keeping is not None
        assert found.keeping.sentence == (
            "each step leaves nothing behind with the fix, and 12 operations of autograd and 1 tensors without it"
        )

    def test_a_run_that_keeps_as_much_ends_no_leak(self) -> None:
        leaks, keeps_none = replace(run(), kept=Kept(1.0, 12.0)), replace(run(), kept=Kept(0.0, 0.0))
        assert of([leaks] * 4, [keeps_none, keeps_none, leaks]).outcome is Outcome.NO_GAIN

    def test_what_was_not_counted_in_each_run_is_not_compared(self) -> None:
        leaks, keeps_none = replace(run(), kept=Kept(1.0, 12.0)), replace(run(), kept=Kept(0.0, 0.0))
        assert of([leaks] * 4, [keeps_none, keeps_none, run()]).keeping is None


class TestPlaces:
    first, second = Place("/home/a/train.py", 3, 4), Place("/home/a/train.py", 9, 9)
    proposal = replace(PROPOSAL, places=(first, second))

    def test_a_fix_that_never_ran_is_not_judged(self) -> None:
        found = judged(self.proposal, [replace(run(), reached=())], [])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == ("the steps that were run never came by what the fix changes (train.py:3, train.py:9)")

    def test_a_part_that_never_ran_is_told(self) -> None:
        found = judged(self.proposal, [replace(run(), reached=(self.first,)), run(), run()], [run(12.0)] * 2)
        assert found.outcome is Outcome.VERIFIED
        assert found.sentence.endswith("; 1 of the 2 places that it is about were not come by")

    def test_a_file_that_is_not_loaded_is_told(self) -> None:
        edits = (*PROPOSAL.edits, Edit("/home/a/other.py", "other.py", b""))
        found = judged(replace(PROPOSAL, edits=edits), [run()] * 3, [run(12.0)] * 2)
        assert found.sentence.endswith("; not loaded, so not tried: other.py")


class TestObstacles:
    failed = Trial(End.FAILED, failure="ValueError: no data (/home/a/train.py:3)")
    late = Trial(End.TIMED_OUT, failure="the script had not done 40 steps after 600 s")

    def test_a_script_that_fails_by_itself(self) -> None:
        found = of([self.failed], [])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == "the script fails without the fix: ValueError: no data (/home/a/train.py:3)"

    def test_a_script_that_fails_with_the_fix_alone(self) -> None:
        found = of([run(), run()], [self.failed])
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert found.sentence.startswith("the script fails with the fix, and does not without it: ValueError: no data")

    def test_a_script_that_is_late_by_itself(self) -> None:
        found = of([self.late], [])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence.endswith("after 600 s; raise --timeout or lower --steps")

    def test_a_script_that_is_late_with_the_fix_alone(self) -> None:
        found = of([run(), run()], [self.late])
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert found.sentence == "with the fix, the script had not done 40 steps after 600 s; without it, it had"

    def test_what_we_stopped_is_no_failure_of_the_script(self) -> None:
        stopped = Trial(End.STOPPED, failure="the script was stopped before it overwrote or removed best.pt")
        assert of([stopped], []).sentence == stopped.failure
        found = of([run(), run()], [stopped])
        assert (found.outcome, found.sentence) == (Outcome.INCONCLUSIVE, f"with the fix, {stopped.failure}")

    def test_no_optimizer_step(self) -> None:
        found = of([Trial(End.TOO_SHORT)], [])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert "no optimizer stepped" in found.sentence

    def test_an_end_before_the_window(self) -> None:
        found = of([replace(run(end=End.TOO_SHORT), step_ms=(10.0,))], [])
        assert found.outcome is Outcome.INCONCLUSIVE
        assert "ended by itself with 1 steps after the warm-up; lower --warmup" in found.sentence

    def test_an_edited_file_that_nobody_loads(self) -> None:
        found = of([run()] * 4, [replace(run(), loaded=())] * 3)
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.sentence == "the script loads none of the files that the fix edits (train.py)"

    def test_a_fix_that_takes_steps_away(self) -> None:
        found = of([run(end=End.TOO_SHORT)] * 4, [replace(run(end=End.TOO_SHORT), step_ms=(20.0, 20.0))] * 3)
        assert found.outcome is Outcome.TRAINING_CHANGED
        assert found.sentence == "the script takes 2 steps with the fix, and 4 without it"


def test_a_fix_after_which_nothing_is_trained() -> None:
    found = of([run(), run()], [replace(run(end=End.TOO_SHORT), step_ms=(), clock="")])
    assert found.outcome is Outcome.TRAINING_CHANGED
    assert found.sentence == "the script takes 0 steps with the fix, and 4 without it"


def test_neither_version_always_comes_first() -> None:
    runs = ["fixed" if fixed else "unchanged" for fixed in alternating(3)]
    assert runs == ["unchanged", "fixed", "fixed", "unchanged", "unchanged", "fixed"]
