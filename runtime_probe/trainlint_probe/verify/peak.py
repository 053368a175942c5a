"""Whether a fix changes how much memory a training needs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from trainlint_probe.verify.result import Peak, Trial
from trainlint_probe.wording.units import size

LEAST_SHARE = 0.01
"""Less than this share of the memory is no change to speak of."""
_LEAST = 2_000_000
"""Nor are fewer bytes."""
ENOUGH_RUNS = 5
"""Of each version. That all of one lie beyond all of the other happens by chance 1 time in 126 with five (in either
direction), 1 in 35 with four."""


def compare_peaks(before: Sequence[Trial], after: Sequence[Trial]) -> Peak | None:
    """How much memory the runs `after` need, against those `before`: the device's where there is one.

    What PyTorch's allocator counts on a device is the same in each run of a program, so a difference is one. What the
    system gives a process is not: all runs of one version must then lie beyond all of the other, in enough runs. None
    where nothing was measured.
    """
    for where, old, new in (
        ("device", [trial.device_peak for trial in before], [trial.device_peak for trial in after]),
        ("host", [trial.host_peak for trial in before], [trial.host_peak for trial in after]),
    ):
        known_old, known_new = [item for item in old if item is not None], [item for item in new if item is not None]
        if len(known_old) == len(old) and len(known_new) == len(new) and old and new:
            return _compared(where, known_old, known_new)
    return None


def _compared(where: str, before: Sequence[int], after: Sequence[int]) -> Peak:
    old, new = round(median(before)), round(median(after))
    change = new - old
    is_apart = max(after) < min(before) or max(before) < min(after)
    is_large = abs(change) >= max(LEAST_SHARE * old, _LEAST)
    never_varies = len(set(before)) == len(set(after)) == 1
    is_enough = never_varies or min(len(before), len(after)) >= ENOUGH_RUNS
    memory = "the device's memory" if where == "device" else "the machine's memory"
    if is_apart and is_large and is_enough:
        saves = f"saves {size(-change)}" if change < 0 else f"needs {size(change)} more"
        said = f"it holds {size(new)} of {memory} at most, and {size(old)} without the fix: it {saves}"
    elif is_apart and is_large:
        said = (
            f"it holds {size(new)} of {memory} at most, and {size(old)} without the fix: too few runs to tell "
            f"whether that is the fix (--pairs {ENOUGH_RUNS} are enough)"
        )
    elif is_large:
        said = (
            f"it holds {size(new)} of {memory} at most, and {size(old)} without the fix: runs of one version "
            "differ as much"
        )
    else:
        said = f"it holds {size(new)} of {memory} at most, as it does without the fix"
    return Peak(where, old, new, is_apart and is_large and is_enough, said)
