"""Gains that others have measured, by rule, and which change should come before which."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.advising.item import Basis, Gain


def _of_gpt_2(fell: str, high: float, more: str = "") -> Gain:
    return Gain(Basis.PUBLISHED, f"unknown for your model; a step of a GPT-2 fell from {fell}{more}", 0.0, high)


PUBLISHED: Mapping[str, Gain] = {
    "TRN101": _of_gpt_2("2.28 to 1.87 s", 0.18),
    "TRN102": _of_gpt_2("1.87 to 1.81 s", 0.03, ", together with non-blocking copies"),
    "TRN205": _of_gpt_2("1.87 to 1.81 s", 0.03, ", out of pinned memory"),
    "TRN401": _of_gpt_2("1.09 to 0.73 s", 0.33),
    "TRN507": _of_gpt_2("0.73 to 0.48 s", 0.35, " on two GPUs"),
    "TRN705": _of_gpt_2("1.81 to 1.09 s", 0.40),
    "TRN301": Gain(
        Basis.PUBLISHED,
        "unknown for your model; the documentation of the Hugging Face Trainer says about 10%",
        0.0,
        0.10,
    ),
}
"""The highest share is that of the source; on another training it may be nothing, so it ranks nothing."""

AFTER: Mapping[str, tuple[str, ...]] = {
    "TRN205": ("TRN102",),
    "TRN102": ("TRN101",),
    "TRN103": ("TRN101",),
    "plan:batch": ("TRN101", "TRN401"),
    "run:workers": ("TRN101",),
    "TRN705": ("TRN401",),
    "plan:strategy": ("TRN401", "TRN507"),
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
