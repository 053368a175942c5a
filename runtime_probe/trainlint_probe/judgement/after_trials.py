"""What trying fixes says of the verdicts on what they fix: a measurement of the fix itself comes before an estimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from trainlint.evidence import Interval, Reference, State, Verdict
from trainlint_probe.judgement.verdicts import THRESHOLD

if TYPE_CHECKING:
    from trainlint_probe.verify.ratio import Estimate
    from trainlint_probe.verify.result import Verification

_OPEN = (State.CONFIRMED, State.INCONCLUSIVE)
"""What a trial may decide."""


def with_trials(verdicts: Sequence[Verdict], comparisons: Iterable[Verification]) -> tuple[Verdict, ...]:
    """The verdicts after the trials of some rules' fixes. A fix that changes the training, or makes it slower, is no
    longer offered; what it was to gain is refuted where the trial leaves room for less than counts.
    """
    tried = {item.code: item for item in comparisons}
    fixed: Mapping[Reference, Verification] = {
        Reference(item.code, item.at): tried[item.code] for item in verdicts if item.fix and item.code in tried
    }
    return tuple(_after(item, fixed.get(item.same_as or Reference(item.code, item.at))) for item in verdicts)


def _after(item: Verdict, trial: Verification | None) -> Verdict:
    """A verdict after a trial of its fix, or of that of the finding that says the same."""
    from trainlint_probe.verify.result import Outcome

    if trial is None:
        return item
    if trial.outcome is Outcome.TRAINING_CHANGED:
        return replace(item, sentence=f"{item.sentence}; tried, its fix changed the training: do not take it", fix="")
    if trial.speed is None:
        return item
    gain = Interval(1 - trial.speed.high, 1 - trial.speed.low)
    is_of_time = item.state in _OPEN and item.share is not None
    if is_of_time and gain.high < THRESHOLD:
        most = max(gain.high, 0.0)
        sentence = f"{item.sentence}; but tried, {_words(trial.speed)}"
        cost = Interval(0.0, most * _before_ms(trial))
        return replace(
            item, state=State.REFUTED, sentence=sentence, cost=cost, share=Interval(0.0, most), basis="trial", fix=""
        )
    if gain.high < 0 and trial.outcome is not Outcome.VERIFIED:
        return replace(item, sentence=f"{item.sentence}; but tried, {_words(trial.speed)}", fix="")
    # Of several findings that were fixed together, the trial does not tell which has gained how much.
    if is_of_time and trial.outcome is Outcome.VERIFIED and trial.fixes == 1 and gain.low >= THRESHOLD:
        before = _before_ms(trial)
        cost = Interval(gain.low * before, gain.high * before)
        sentence = f"{item.sentence}; tried, {_words(trial.speed)}"
        return replace(item, state=State.CONFIRMED, sentence=sentence, cost=cost, share=gain, basis="trial")
    if trial.outcome is Outcome.INCONCLUSIVE:
        return replace(item, sentence=f"{item.sentence}; trying its fix has not settled it")
    return item


def _before_ms(trial: Verification) -> float:
    """A step of the runs without the fix; the first of them is a rehearsal."""
    return fmean(ms for run in trial.before[1:] for ms in run.step_ms)


def _words(speed: Estimate) -> str:
    """By how much steps are shorter or longer with the fix."""
    if speed.low > 1:
        return f"a step took {speed.low - 1:.1%} to {speed.high - 1:.1%} longer with its fix: do not take it"
    if speed.high < 1:
        return f"its fix made a step {1 - speed.high:.1%} to {1 - speed.low:.1%} shorter"
    return f"its fix gained {max(1 - speed.low, 0.0):.1%} of a step at most"
