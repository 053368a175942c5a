"""A trial of a fix comes before an estimate of what it gains."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.probe import samples
from trainlint.evidence import Interval, Reference, State, Verdict
from trainlint.report.settings import Style
from trainlint_probe.judgement.after_trials import with_trials
from trainlint_probe.report.first import to_do_first
from trainlint_probe.report.terminal import render
from trainlint_probe.verify.ratio import Estimate
from trainlint_probe.verify.result import Outcome, Verification

FIXABLE = replace(samples.LOADING, fix="unsafe")
IN_THE_RUN = replace(samples.LOADING, code="TRNP101", new=True, same_as=Reference("TRN101", samples.LOADING.at))


def trial(low: float, high: float, outcome: Outcome, fixes: int = 1) -> Verification:
    """A fix after which a step takes between `low` and `high` times as long."""
    return replace(samples.tried(), speed=Estimate((low + high) / 2, low, high), outcome=outcome, fixes=fixes)


def after(tried: Verification, *verdicts: Verdict) -> list[Verdict]:
    return list(with_trials(verdicts or (FIXABLE,), [tried]))


def test_a_fix_that_was_slower_is_no_longer_recommended() -> None:
    slower = trial(1.6, 2.0, Outcome.NO_GAIN)
    (said,) = after(slower)
    assert (said.state, said.basis, said.fix) == (State.REFUTED, "trial", "")
    assert "but tried, a step took 60.0% to 100.0% longer with its fix: do not take it" in said.sentence
    assert to_do_first([said], 50.0, 1) == []
    text = render([samples.run()], [said], Style(200), comparisons=[slower])
    assert "First:" not in text
    assert "trainlint check --select TRN101" not in text


def test_what_only_the_run_shows_of_the_same_line_goes_with_it() -> None:
    said = after(trial(1.6, 2.0, Outcome.NO_GAIN), FIXABLE, IN_THE_RUN)
    assert [item.state for item in said] == [State.REFUTED, State.REFUTED]


def test_a_fix_that_gains_less_than_counts_is_refuted() -> None:
    (said,) = after(trial(0.996, 1.004, Outcome.NO_GAIN))
    assert said.state is State.REFUTED
    assert "its fix gained 0.4% of a step at most" in said.sentence


def test_a_verified_gain_is_what_was_measured() -> None:
    (said,) = after(trial(0.7, 0.8, Outcome.VERIFIED))
    assert (said.state, said.basis, said.fix) == (State.CONFIRMED, "trial", "unsafe")
    assert said.share is not None
    assert (said.share.low, said.share.high) == pytest.approx((0.2, 0.3))
    assert said.cost is not None
    assert said.cost.high / said.cost.low == pytest.approx(1.5)


def test_of_several_fixes_tried_together_none_has_the_whole_gain() -> None:
    (said,) = after(trial(0.7, 0.8, Outcome.VERIFIED, fixes=3))
    assert (said.share, said.basis) == (FIXABLE.share, "timer")


def test_a_fix_that_changed_the_training_is_no_longer_recommended() -> None:
    changed = trial(0.7, 0.8, Outcome.TRAINING_CHANGED)
    (said,) = after(changed)
    assert (said.state, said.fix) == (State.CONFIRMED, "")  # what it costs is as it was
    assert "its fix changed the training: do not take it" in said.sentence


def test_a_slower_fix_of_what_costs_no_time_is_no_longer_recommended() -> None:
    leak = replace(FIXABLE, cost=None, share=None)
    (said,) = after(trial(1.1, 1.2, Outcome.INCONCLUSIVE), leak)
    assert (said.state, said.fix) == (State.CONFIRMED, "")


def test_a_trial_that_settled_nothing_changes_nothing_but_the_words() -> None:
    (said,) = after(trial(0.8, 1.5, Outcome.INCONCLUSIVE))
    assert replace(said, sentence=FIXABLE.sentence) == FIXABLE
    assert said.sentence.endswith("; trying its fix has not settled it")


def test_other_rules_and_findings_without_a_fix_are_left_alone() -> None:
    slower = trial(1.6, 2.0, Outcome.NO_GAIN)
    others = (samples.LOADING, replace(samples.READING, fix="safe"), samples.SAVING)
    assert tuple(after(slower, *others)) == others


def test_what_was_tried_is_not_offered_for_a_trial() -> None:
    settled_nothing = trial(0.8, 1.5, Outcome.INCONCLUSIVE)
    text = render([samples.run()], after(settled_nothing), Style(200), comparisons=[settled_nothing])
    assert "add: --verify TRN101" not in text
    assert "add: --verify TRN101" in render([samples.run()], [FIXABLE], Style(200))


def test_the_bounds_stay_those_of_a_gain() -> None:
    (said,) = after(trial(1.6, 2.0, Outcome.NO_GAIN))
    assert (said.cost, said.share) == (Interval(0.0, 0.0), Interval(0.0, 0.0))
