"""Runs the user's script with and without fixes, and says what came of it.

Both versions see the same machine, whatever else it does meanwhile: they share it in turns (`side_by_side`), or where
they cannot, they follow each other: without, with, with, without, and so on, so that neither always comes first. Each
run is a process of its own, or as many as train together. A first run without any fix is a rehearsal: it warms the
caches of files and compilers, and shows at once whether the script runs at all, how long that takes, and which of the
findings it comes by.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from statistics import fmean

from trainlint_probe.verify.fixes import ALL, Proposal, proposals
from trainlint_probe.verify.judge import FEWEST_PAIRS, cannot_be_tried, judged
from trainlint_probe.verify.one_run import Request, run_once
from trainlint_probe.verify.result import End, Outcome, Trial, Verification
from trainlint_probe.verify.side_by_side import Version, reason_against_pairing, run_pair

Tell = Callable[[str], None]
"""Is told what happens meanwhile, in short sentences."""

LEAST_S = 1.0
"""For so long the steps of a run are timed at least: fewer of the machine's states are seen in less."""
_MOST_MORE = 3000
"""Steps besides those asked for: the times of all of them are kept."""


def verify(
    words: Sequence[str],
    paths: Sequence[Path],
    request: Request,
    tell: Tell = lambda sentence: None,
    *,
    first: Sequence[str] = (),
) -> tuple[Verification, ...]:
    """Try the fixes of each rule that the user named, or of `all`, on the files that these rules are asked about.

    Rules whose codes are in `first` are tried in that order, before the others: who ends the trials early has seen
    what matters most.

    Raises UsageError where a rule is not known or the configuration is wrong.
    """
    found: dict[str, Proposal] = {}
    without: list[Verification] = []
    for word in words:
        of_word = proposals(word, paths)
        found |= {proposal.code: proposal for proposal in of_word}
        without += [] if of_word else [_nothing_to_try(word)]
    order = {code: place for place, code in enumerate(first)}
    ordered = sorted(found.values(), key=lambda proposal: order.get(proposal.code, len(order)))
    return (*without, *try_all(ordered, request, tell))


def _nothing_to_try(word: str) -> Verification:
    of_rule = "" if word == ALL else f" of {word}"
    return Verification(word, "", Outcome.INCONCLUSIVE, f"no finding{of_rule} has a fix, so there is nothing to try")


def try_all(
    tried: Sequence[Proposal], request: Request, tell: Tell = lambda sentence: None
) -> tuple[Verification, ...]:
    """Run the script with and without the fixes of each rule, and compare. Interrupted, what is known is returned.

    Raises:
        ValueError: fewer than two pairs of runs are asked for.
    """
    if request.pairs < FEWEST_PAIRS:
        raise ValueError(f"{request.pairs} pair of runs does not tell how much runs differ; ask for two at least")
    if not tried:
        return ()
    rules = ", ".join(proposal.code for proposal in tried)
    runs, steps = 1 + 2 * request.pairs * len(tried), request.warmup + request.steps
    tell(f"Trying the fixes of {rules}: {runs} runs of the script at most, of {steps} steps each. First a rehearsal.")
    done: list[Verification] = []
    try:
        rehearsal = _rehearse(tried, request, tell)
        for proposal in tried:
            done.append(_verify_proposal(proposal, request, tell, rehearsal))  # noqa: PERF401 - what is done outlives an interrupt
    except KeyboardInterrupt:
        left = ", ".join(proposal.code for proposal in tried[len(done) :])
        tell(f"Interrupted: what is known is told, and nothing of {left}.")
    return tuple(done)


def _rehearse(tried: Sequence[Proposal], request: Request, tell: Tell) -> Trial:
    """A first run without any fix; tells how long the others will take."""
    began = time.monotonic()
    rehearsal = run_once(request, {}, tuple(dict.fromkeys(place for proposal in tried for place in proposal.places)))
    took = time.monotonic() - began
    runs = 2 * request.pairs * sum(not cannot_be_tried(proposal, rehearsal) for proposal in tried)
    if runs:
        each = took + fmean(rehearsal.step_ms) / 1000 * _more_steps(request, rehearsal)
        tell(f"The rehearsal took {took:.0f} s, so the other {runs} runs take about {_minutes(runs * each)}.")
    return rehearsal


def _more_steps(request: Request, rehearsal: Trial) -> int:
    """How many steps are timed besides those asked for, because they are short. Of two runs that follow each other
    none: more steps tell no more where a run meets the machine in a state of its own.
    """
    if reason_against_pairing(request, rehearsal) or rehearsal.end is not End.WINDOW_CLOSED:
        return 0
    wanted = ceil(request.least_s * 1000 / fmean(rehearsal.step_ms))
    return min(max(wanted - request.steps, 0), _MOST_MORE)


def _verify_proposal(proposal: Proposal, request: Request, tell: Tell, rehearsal: Trial) -> Verification:
    edits = {edit.path: edit.text for edit in proposal.edits}
    versions = {False: Version(request, {}), True: Version(request, edits)}
    runs: dict[bool, list[Trial]] = {False: [rehearsal], True: []}
    order = [] if cannot_be_tried(proposal, rehearsal) else alternating(request.pairs)
    together, more_steps = not reason_against_pairing(request, rehearsal), _more_steps(request, rehearsal)
    while order and not _are_more_runs_useless(runs):
        number = len(runs[False]) + len(runs[True])
        if together:
            tell(f"{proposal.code}: runs {number} and {number + 1} of {2 * request.pairs}, taking turns")
            trials = run_pair(versions[order[0]], versions[order[1]], more_steps)
            if all(trial.end is End.WINDOW_CLOSED for trial in trials):
                for fixed, trial in zip(order[:2], trials, strict=True):
                    runs[fixed].append(trial)
                order = order[2:]
            elif more_steps and any(trial.end is End.TOO_SHORT for trial in trials):
                more_steps = 0  # it has not so many
            else:
                together = False  # what failed may have failed because there were two: they follow each other
            continue
        fixed = order.pop(0)
        tell(f"{proposal.code}: run {number} of {2 * request.pairs}, {'with' if fixed else 'without'} the fix")
        runs[fixed].append(run_once(versions[fixed].request, versions[fixed].edits))
    return judged(proposal, runs[False], runs[True])


def _are_more_runs_useless(runs: Mapping[bool, Sequence[Trial]]) -> bool:
    """Whether more runs would tell no more."""
    fixed = runs[True]
    took_none = any(not trial.step_ms for trial in (*runs[False][1:], *fixed))
    return took_none or not all(trial.loaded for trial in fixed)


def pair_orders(pairs: int) -> list[tuple[bool, bool]]:
    """Which of the two runs of each pair has the fix: the second, the first, the second ..."""
    return [(False, True) if pair % 2 == 0 else (True, False) for pair in range(pairs)]


def alternating(pairs: int) -> list[bool]:
    """Which of the runs after the rehearsal have the fix: without, with, with, without ..."""
    return [fixed for order in pair_orders(pairs) for fixed in order]


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"
