"""One run of several processes that train together, as one: what is compared is all that they computed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from math import fsum, sqrt
from statistics import fmean

from trainlint_probe.verify.order import Place
from trainlint_probe.verify.result import End, Kept, Trial


def as_one(ranks: Sequence[Trial]) -> Trial:
    """The trials of all ranks that came to their ends, at least one, in their order.

    A step takes what it takes the ranks in the mean; they wait for each other, so that this is much the same for all.
    Losses follow each other step by step, those of one step rank by rank. Peaks are those of the rank that needs most.
    """
    if len(ranks) == 1:
        return ranks[0]
    shortest = next((trial for trial in ranks if trial.end is End.TOO_SHORT), ranks[0])
    return replace(
        shortest,
        # The shortest rank says how many steps there are.
        step_ms=tuple(fmean(of_step) for of_step in zip(*(trial.step_ms for trial in ranks), strict=False)),
        losses=_losses(ranks),
        parameters=_digest([trial.parameters for trial in ranks]),
        norm=_norm([trial.norm for trial in ranks]),
        loaded=tuple(sorted({path for trial in ranks for path in trial.loaded})),
        clock=_clock(ranks),
        reached=_reached([trial.reached for trial in ranks]),
        host_peak=_most([trial.host_peak for trial in ranks]),
        device_peak=_most([trial.device_peak for trial in ranks]),
        kept=_most_kept([trial.kept for trial in ranks]),
        ranks=len(ranks),
    )


def _clock(ranks: Sequence[Trial]) -> str:
    """What counted as a step, by the first rank that tells."""
    return next((trial.clock for trial in ranks if trial.clock), "")


def _losses(ranks: Sequence[Trial]) -> tuple[float, ...]:
    by_step = zip_longest(*(trial.losses for trial in ranks))
    return tuple(loss for of_step in by_step for loss in of_step if loss is not None)


def _norm(norms: Sequence[float | None]) -> float | None:
    """The norm of the parameters of all ranks together; None where no rank tells its own."""
    known = [norm for norm in norms if norm is not None]
    return sqrt(fsum(norm * norm for norm in known)) if known else None


def _reached(ranks: Sequence[tuple[Place, ...] | None]) -> tuple[Place, ...] | None:
    """The places that any rank reached; None where no rank tells."""
    known = [places for places in ranks if places is not None]
    return tuple(dict.fromkeys(place for places in known for place in places)) if known else None


def _digest(digests: Sequence[str]) -> str:
    return hashlib.sha256("".join(digests).encode()).hexdigest() if any(digests) else ""


def _most(peaks: Sequence[int | None]) -> int | None:
    return max((peak for peak in peaks if peak is not None), default=None)


def _most_kept(counts: Sequence[Kept | None]) -> Kept | None:
    """What the rank that keeps most leaves behind; None where a rank did not count."""
    known = [kept for kept in counts if kept is not None]
    return max(known, key=lambda kept: (kept.graph_nodes, kept.tensors)) if len(known) == len(counts) else None
