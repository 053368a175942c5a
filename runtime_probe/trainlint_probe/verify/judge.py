"""What the runs of two versions of a script say of the fix between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median

from trainlint_probe.verify.compare import compare
from trainlint_probe.verify.fixes import Proposal
from trainlint_probe.verify.keeping import compare_kept
from trainlint_probe.verify.order import Place
from trainlint_probe.verify.peak import compare_peaks
from trainlint_probe.verify.ratio import Estimate, Pair, ratio_of_means
from trainlint_probe.verify.result import End, Likeness, Outcome, Peak, Training, Trial, Verification
from trainlint_probe.wording.units import duration, durations

LEAST_GAIN = 0.01
"""The share of a step from which a gain counts: less is what two builds of one program differ by."""

NO_MORE = 0.05
"""Where the interval leaves room for no larger gain than this, there is none to speak of."""

NO_SLOWER = 0.05
"""Where the interval leaves room for no larger loss than this, a fix that saves memory is worth it. That no loss was
shown is not enough: few and loud runs never show one."""

_MOST_PLACES = 3

FEWEST_STEPS = 2
FEWEST_PAIRS = 2


def judged(proposal: Proposal, before: Sequence[Trial], after: Sequence[Trial]) -> Verification:
    """What the runs say. The first of `before` is a rehearsal; the others and `after` come in pairs.

    Runs may be missing at the end, where one failed and the rest were therefore left out.
    """
    found = Verification(
        code=proposal.code,
        name=proposal.name,
        outcome=Outcome.INCONCLUSIVE,
        sentence="",
        safety=proposal.safety,
        files=tuple(edit.shown for edit in proposal.edits),
        fixes=proposal.fixes,
        before=tuple(before),
        after=tuple(after),
    )
    obstacle = _of_unchanged(before) or _of_places(proposal, before[0]) or _of_fixed(proposal, before, after)
    if obstacle:
        outcome, sentence = obstacle
        return replace(found, outcome=outcome, sentence=sentence)
    training = compare(before, after, proposal.safety)
    speed = ratio_of_means([Pair(one.step_ms, other.step_ms) for one, other in zip(before[1:], after, strict=True)])
    peak = compare_peaks(before[1:], after)  # the rehearsal is watched line by line, and holds what that needs
    sentence = f"{_of_speed(speed, before[1:], after)}{_of_the_untried(proposal, before[0], after)}"
    keeping = compare_kept(before[1:], after)
    saves = _is_smaller(peak) or (keeping is not None and keeping.keeps_less)
    outcome = _outcome(training, speed, saves=saves)
    return replace(
        found, outcome=outcome, sentence=sentence, training=training, speed=speed, peak=peak, keeping=keeping
    )


def cannot_be_tried(proposal: Proposal, rehearsal: Trial) -> bool:
    """Whether a first run without the fix shows that more of them would tell nothing."""
    return bool(_of_unchanged([rehearsal]) or _of_places(proposal, rehearsal))


def _of_unchanged(before: Sequence[Trial]) -> tuple[Outcome, str] | None:
    """Why nothing can be said, where the unchanged script is the reason."""
    for trial in before:
        if trial.end is End.FAILED:
            return Outcome.INCONCLUSIVE, f"the script fails without the fix: {trial.failure}"
        if trial.end is End.STOPPED:
            return Outcome.INCONCLUSIVE, trial.failure
        if trial.end is End.TIMED_OUT:
            return Outcome.INCONCLUSIVE, f"without the fix, {trial.failure}; raise --timeout or lower --steps"
        if not trial.clock:
            what = "no optimizer stepped in the script's process, nor in a Python process that it started"
            return Outcome.INCONCLUSIVE, f"{what}, so no step can be timed"
        if len(trial.step_ms) < FEWEST_STEPS:
            seen = f"the script ended by itself with {len(trial.step_ms)} steps after the warm-up"
            return Outcome.INCONCLUSIVE, f"{seen}; lower --warmup, or let it train for longer"
    return None


def _of_places(proposal: Proposal, rehearsal: Trial) -> tuple[Outcome, str] | None:
    """Why nothing can be said, where the run does not come by what the fix is about."""
    if rehearsal.reached is None or not proposal.places or set(proposal.places) & set(rehearsal.reached):
        return None
    places = ", ".join(_place(proposal, place) for place in proposal.places[:_MOST_PLACES])
    more = len(proposal.places) - _MOST_PLACES
    others = f" and {more} more" if more > 0 else ""
    return Outcome.INCONCLUSIVE, f"the steps that were run never came by what the fix changes ({places}{others})"


def _of_the_untried(proposal: Proposal, rehearsal: Trial, after: Sequence[Trial]) -> str:
    """What of the fix had no part in the runs."""
    said = ""
    if rehearsal.reached is not None and (missed := [at for at in proposal.places if at not in rehearsal.reached]):
        said = f"; {len(missed)} of the {len(proposal.places)} places that it is about were not come by"
    loaded = {path for trial in after for path in trial.loaded}
    unloaded = [edit.shown for edit in proposal.edits if edit.path not in loaded]
    return f"{said}; not loaded, so not tried: {', '.join(unloaded)}" if unloaded else said


def _place(proposal: Proposal, place: Place) -> str:
    shown = next((edit.shown for edit in proposal.edits if edit.path == place.path), place.path)
    return f"{shown}:{place.first}"


def _of_fixed(proposal: Proposal, before: Sequence[Trial], after: Sequence[Trial]) -> tuple[Outcome, str] | None:
    """What keeps the fixed version from being compared, where the unchanged one runs."""
    steps = {len(trial.step_ms) for trial in before[1:] or before}
    for trial in after:
        if trial.end is End.FAILED:
            words = f"the script fails with the fix, and does not without it: {trial.failure}"
            return Outcome.TRAINING_CHANGED, words
        if trial.end is End.STOPPED:
            return Outcome.INCONCLUSIVE, f"with the fix, {trial.failure}"
        if trial.end is End.TIMED_OUT:
            return Outcome.TRAINING_CHANGED, f"with the fix, {trial.failure}; without it, it had"
        missing = [edit.shown for edit in proposal.edits if edit.path not in trial.loaded]
        if len(missing) == len(proposal.edits):
            files = ", ".join(missing)
            return Outcome.INCONCLUSIVE, f"the script loads none of the files that the fix edits ({files})"
        taken = len(trial.step_ms)
        if not taken or (len(steps) == 1 and taken not in steps):
            return Outcome.TRAINING_CHANGED, f"the script takes {taken} steps with the fix, and {min(steps)} without it"
    return None


def _outcome(training: Training, speed: Estimate, *, saves: bool) -> Outcome:
    """Where memory is saved and the runs are too loud to tell whether time is lost, that is said, and nothing more."""
    if training.likeness is Likeness.DIFFERENT:
        return Outcome.TRAINING_CHANGED
    if training.likeness is Likeness.UNKNOWN:
        return Outcome.INCONCLUSIVE
    if _is_faster(speed) or (saves and speed.high <= 1 + NO_SLOWER):
        return Outcome.VERIFIED
    if saves and speed.low <= 1:
        return Outcome.INCONCLUSIVE
    return Outcome.NO_GAIN if speed.low >= 1 - NO_MORE else Outcome.INCONCLUSIVE


def _is_faster(speed: Estimate) -> bool:
    return speed.high < 1 and speed.value <= 1 - LEAST_GAIN


def _is_smaller(peak: Peak | None) -> bool:
    return peak is not None and peak.is_change and peak.after < peak.before


def _of_speed(speed: Estimate, before: Sequence[Trial], after: Sequence[Trial]) -> str:
    old = fmean(fmean(trial.step_ms) for trial in before)
    new = fmean(fmean(trial.step_ms) for trial in after)
    steps = f"{sum(len(trial.step_ms) for trial in after)} steps of each, in {len(after)} runs"
    times = f"a step takes {duration(new)} with the fix and {duration(old)} without it ({steps})"
    if _is_faster(speed):
        return f"{times}: {1 - speed.value:.0%} less, between {1 - speed.high:.1%} and {1 - speed.low:.1%}"
    if speed.low > 1:
        return f"{times}: {speed.value - 1:.1%} more, between {speed.low - 1:.1%} and {speed.high - 1:.1%}"
    if speed.low >= 1 - NO_MORE:
        return f"{times}: no more than {1 - speed.low:.1%} can be gained"
    spread = f"between {1 - speed.low:.1%} less and {speed.high - 1:.1%} more"
    # No ground for a verdict: what a fix takes away may be few long steps, which a median does not see.
    medians = f"the median steps took {' and '.join(durations(_median_step(after), _median_step(before)))}"
    return f"{times}: {spread}, which is too uncertain ({medians}); raise --steps or --pairs, or use a quieter machine"


def _median_step(runs: Sequence[Trial]) -> float:
    return median(ms for trial in runs for ms in trial.step_ms)
