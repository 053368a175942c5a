"""What loader workers could gain a training that makes its batches itself: less than it waits.

A wait for a batch is the most that could be hidden. Workers hide it behind the rest of the step as far as there are
cores for them, and cost the step what it takes to receive each batch from another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Cores, Loader, Phase, Run
from trainlint_probe.wording import units

_DOUBT = 2.0
"""How far the cost to hand a batch over may be off, in either direction: it was tried once, on the same machine."""
_WORKERS = 2
"""As few as a reader would try. With one, a batch may take no longer to make than the rest of the step."""
_SPREAD = 1.96
"""Standard errors on each side of a mean that hold the true one 95 times in 100."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a step could gain, in milliseconds, and why."""

    waits: str
    """What the step waits, without a full stop."""
    limit: str
    """What limits the gain, likewise."""
    gain: Interval
    """Negative where workers would cost the step more than they hide."""

    @property
    def sentence(self) -> str:
        """Both."""
        return f"{self.waits}; {self.limit}"


def overlap(run: Run, loaders: Sequence[Loader]) -> Overlap:
    """What a step could gain if other processes made the batches of some loaders. The run has steps."""
    steps = len(run.steps)
    whole = [step.ms for step in run.steps]
    share = _part(sum(loader.wait_ms for loader in loaders), sum(loader.wait_ms for loader in run.loaders))
    waits = [step.phases.get(Phase.DATA_WAIT, 0.0) * share for step in run.steps]
    waited, step = fmean(waits), fmean(whole)
    known = f"the step waits {units.part(waited, step)} for this loader"
    most = waited + _margin(waits)
    if any(loader.settings.get("num_workers") != "0" for loader in loaders):
        return Overlap(known, "a faster loader can hide at most that", Interval(0.0, most))
    feeds = _per_step([loader.handover_ms for loader in loaders], loaders, steps)
    if feeds is None:
        limit = "workers can hide at most that, and what it costs to feed the step from them was not measured"
        return Overlap(known, limit, Interval(0.0, most))
    limit = f"workers can hide at most that and cost {units.duration(feeds)} to feed it{_size(loaders)}"
    computed = sum(loader.cpu_ms if loader.cpu_ms is not None else loader.wait_ms for loader in loaders) / steps
    high = min(most, max(most - feeds / _DOUBT, 0.0))
    workers: float = _WORKERS
    if computed > 0.5 * waited:
        # What is computed takes a core, whoever does it: without a free one it is only moved.
        free = _free(run.cores, step, waited, computed)
        workers = min(workers, free or 0.0)
        if run.cores is not None and free is not None:
            high = min(high, waited - computed + min(computed, free * step) + _margin(waits))
            limit += f"; {free:.2g} of {run.cores.available} cores were free for them"
    low = _least_hidden_time(step, waited, _DOUBT * feeds, workers) - _margin(waits)
    return Overlap(known, limit, Interval(min(low, high), high))


def _least_hidden_time(step: float, waited: float, feeds: float, workers: float) -> float:
    """What so many workers hide: a step then takes as long as the rest of it, or as it takes them to make a batch.

    Negative where they cost more than they hide. That is at most what it takes to send and to receive the batches,
    one after the other where no core is free for the sender: the batches themselves are only made elsewhere.
    """
    most = feeds if workers >= 1 else 2 * feeds
    return max(step - max(step - waited + feeds, (waited + feeds) / workers), -most) if workers else -most


def _free(cores: Cores | None, step: float, waited: float, computed: float) -> float | None:
    """Cores that neither the training, apart from making batches, nor another program used. None: not known."""
    if cores is None or cores.others is None or step <= waited:
        return None
    training = max(cores.own * step - computed, 0.0) / (step - waited)
    return max(cores.available - cores.others - training, 0.0)


def _per_step(each: Sequence[float | None], loaders: Sequence[Loader], steps: int) -> float | None:
    """Milliseconds a step, where each loader's batch is known to take so much."""
    known = [ms * loader.batches / steps for ms, loader in zip(each, loaders, strict=True) if ms is not None]
    return sum(known) if len(known) == len(each) else None


def _size(loaders: Sequence[Loader]) -> str:
    sizes = [loader.batch_bytes for loader in loaders if loader.batch_bytes]
    return f" ({units.size(max(sizes))} a batch)" if sizes else ""


def _margin(times: Sequence[float]) -> float:
    """How far the mean of many steps may lie from that of these."""
    return _SPREAD * stdev(times) / sqrt(len(times)) if len(times) > 1 else fmean(times)


def _part(some: float, whole: float) -> float:
    return some / whole if whole else 0.0
