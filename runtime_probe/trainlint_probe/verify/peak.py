"""Whether a fix changes how much memory a training needs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from trainlint_probe.verify.result import Peak, Trial

LEAST_SHARE = 0.01
"""Less than this share of the memory is no change to speak of."""
_LEAST = 2_000_000
"""Nor are fewer bytes."""


def compare_peaks(before: Sequence[Trial], after: Sequence[Trial]) -> Peak | None:
    """How much memory the runs `after` need, against those `before`: the device's where there is one.

    A change must be larger than what runs of one version differ by among themselves. None where nothing was measured.
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
    spread = max(max(before) - min(before), max(after) - min(after))
    change = new - old
    is_change = abs(change) > spread and abs(change) >= max(LEAST_SHARE * old, _LEAST)
    memory = "the device's memory" if where == "device" else "the machine's memory"
    if not is_change:
        said = f"it holds {_bytes(new)} of {memory} at most, as it does without the fix"
    else:
        saves = f"saves {_bytes(-change)}" if change < 0 else f"needs {_bytes(change)} more"
        said = f"it holds {_bytes(new)} of {memory} at most, and {_bytes(old)} without the fix: it {saves}"
    return Peak(where, old, new, is_change, said)


def _bytes(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
