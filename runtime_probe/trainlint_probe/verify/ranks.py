"""One run of several processes that train together, as one: what is compared is all that they computed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import zip_longest
from math import fsum, sqrt
from statistics import fmean

from trainlint.records import replace
from trainlint_probe.verify.result import End, Trial


def as_one(ranks: Sequence[Trial]) -> Trial:
    """The trials of all ranks that came to their ends, at least one, in their order.

    A step takes what it takes the ranks in the mean; they wait for each other, so that this is much the same for all.
    Losses follow each other step by step, those of one step rank by rank. Peaks are those of the rank that needs most.
    """
    if len(ranks) == 1:
        return ranks[0]
    shortest = next((trial for trial in ranks if trial.end is End.TOO_SHORT), ranks[0])
    steps = min(len(trial.step_ms) for trial in ranks)
    reached = [trial.reached for trial in ranks if trial.reached is not None]
    norms = [trial.norm for trial in ranks if trial.norm is not None]
    return replace(
        shortest,
        step_ms=tuple(fmean(trial.step_ms[step] for trial in ranks) for step in range(steps)),
        losses=tuple(
            loss for of_step in zip_longest(*(trial.losses for trial in ranks)) for loss in of_step if loss is not None
        ),
        parameters=_digest([trial.parameters for trial in ranks]),
        norm=sqrt(fsum(norm * norm for norm in norms)) if norms else None,
        loaded=tuple(sorted({path for trial in ranks for path in trial.loaded})),
        clock=next((trial.clock for trial in ranks if trial.clock), ""),
        reached=tuple(dict.fromkeys(place for of_rank in reached for place in of_rank)) if reached else None,
        host_peak=_most([trial.host_peak for trial in ranks]),
        device_peak=_most([trial.device_peak for trial in ranks]),
        ranks=len(ranks),
    )


def _digest(digests: Sequence[str]) -> str:
    return hashlib.sha256("".join(digests).encode()).hexdigest() if any(digests) else ""


def _most(peaks: Sequence[int | None]) -> int | None:
    return max((peak for peak in peaks if peak is not None), default=None)
