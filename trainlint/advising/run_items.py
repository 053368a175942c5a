"""Things to do from the phases of a measured run, whatever the rules found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from trainlint.advising.item import Basis, Gain, Item
from trainlint.advising.published import prerequisites
from trainlint.evidence.run import Phase
from trainlint.verdict_file import MeasuredRun

_WORTH = 0.05
"""A share of the step below which waiting for batches, or copying them, is not worth work."""


def items_of_runs(runs: Sequence[MeasuredRun], listed: frozenset[str]) -> tuple[Item, ...]:
    """What the first process's mean step shows."""
    measured = [run for run in runs if run.steps]
    return tuple(_items(measured[0], listed)) if measured else ()


def _items(run: MeasuredRun, listed: frozenset[str]) -> Iterator[Item]:
    step = sum(step.ms for step in run.steps) / len(run.steps)
    wait, copy = (
        sum(step.phases.get(phase, 0.0) for step in run.steps) / len(run.steps)
        for phase in (Phase.DATA_WAIT, Phase.HOST_TO_DEVICE)
    )
    if run.loaders and wait > _WORTH * step:
        workers = max(_workers(loader.settings.get("num_workers", "")) for loader in run.loaders)
        needed = needed_workers(step, wait, workers)
        now = "none now" if workers == 0 else f"{workers} now"
        yield Item(
            "run:workers",
            "give the loader enough workers",
            f"set `num_workers={needed}` ({now}), if the machine has as many free cores",
            (),
            Gain(
                Basis.MEASURED,
                f"the step waits {wait:.1f} of {step:.1f} ms for batches; {needed} workers make them as fast as "
                "they are used, and cost what it takes to hand a batch from one process to another",
                0.0,
                wait / step,
            ),
            wrong=False,
            effort="one argument",
            command=None,
            changes="the order of random numbers that the dataset draws",
            check="the data wait in `trainlint probe`",
            after=prerequisites("run:workers", listed),
        )
    if run.device != "cpu" and copy > _WORTH * step:
        yield Item(
            "run:copies",
            "hide the copies to the GPU behind the step before",
            "copy the next batch on a side stream while this one trains (pinned memory, `non_blocking=True`, "
            "`record_stream`), and send fewer bytes: uint8 images and 16-bit numbers are converted on the GPU",
            (),
            Gain(Basis.MEASURED, f"copies hold up {copy:.1f} of {step:.1f} ms", 0.0, copy / step),
            wrong=False,
            effort="a small prefetcher, by hand",
            command=None,
            changes="nothing, if the stream is waited for before the batch is used",
            check="the phase `host to device` in `trainlint probe`",
            after=tuple(key for key in ("TRN102", "TRN205") if key in listed),
        )


def needed_workers(step: float, wait: float, workers: int) -> int:
    """Processes that load as fast as the rest of the step takes, by times in ms.

    Without workers the wait is the time to load a batch; with them a batch takes each of them a whole step.
    """
    busy = max(step - wait, 1e-3)
    return max(1, ceil(wait / busy)) if workers == 0 else ceil(workers * step / busy)


def _workers(setting: str) -> int:
    return int(setting) if setting.isdecimal() else 0
