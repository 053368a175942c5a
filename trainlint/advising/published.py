"""Gains that others have measured, by rule, and which change should come before which."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.advising.item import Basis, Gain

_GPT_2 = "in published notes on one GPT-2 step"

PUBLISHED: Mapping[str, Gain] = {
    "TRN101": Gain(Basis.PUBLISHED, f"2.28 to 1.87 s {_GPT_2}", 0.0, 0.18),
    "TRN102": Gain(Basis.PUBLISHED, f"1.87 to 1.81 s {_GPT_2}, together with non-blocking copies", 0.0, 0.03),
    "TRN205": Gain(Basis.PUBLISHED, f"1.87 to 1.81 s {_GPT_2}, out of pinned memory", 0.0, 0.03),
    "TRN401": Gain(Basis.PUBLISHED, f"1.09 to 0.73 s {_GPT_2}", 0.0, 0.33),
    "TRN507": Gain(Basis.PUBLISHED, f"0.73 to 0.48 s {_GPT_2}, on two GPUs", 0.0, 0.35),
    "TRN705": Gain(Basis.PUBLISHED, f"1.81 to 1.09 s {_GPT_2}", 0.0, 0.40),
    "TRN301": Gain(Basis.PUBLISHED, "about 10% by the documentation of the Hugging Face Trainer", 0.0, 0.10),
    "TRN701": Gain(Basis.PUBLISHED, "up to three times the speed of training GPT-2 (arXiv 2205.14135)", 0.0, 0.67),
}
"""The highest share is that of the source; on another training it may be nothing."""

AFTER: Mapping[str, tuple[str, ...]] = {
    "TRN205": ("TRN102",),
    "TRN102": ("TRN101",),
    "TRN103": ("TRN101",),
    "plan:batch": ("TRN101", "TRN401"),
    "run:workers": ("TRN101",),
    "TRN705": ("TRN401",),
    "plan:strategy": ("TRN401", "TRN701", "TRN507"),
}
"""Pinned memory before copies that do not wait for it, workers before pinning and before larger batches, precision
before `torch.compile`, one GPU before many."""

_OF_SEVERAL_GPUS = "TRN5"


def prerequisites(key: str, listed: frozenset[str]) -> tuple[str, ...]:
    """What of a list should be done before an item."""
    first = AFTER.get(key, ())
    if key.startswith(_OF_SEVERAL_GPUS):
        on_one = (other for other in sorted(listed) if other in PUBLISHED and not other.startswith(_OF_SEVERAL_GPUS))
        first = (*first, *on_one)
    return tuple(other for other in dict.fromkeys(first) if other in listed and other != key)
