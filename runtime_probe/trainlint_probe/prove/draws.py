"""Whether two runs that compute the same on a simulated GPU draw random numbers that are others on a real one."""

from __future__ import annotations

from collections.abc import Sequence

_REAL = "a real GPU has a generator of its own, so there the training differs, although it is the same here"


def drawn_elsewhere(step: int, before: Sequence[int], after: Sequence[int]) -> str:
    """What to say of a step whose numbers come from other generators than before; empty where they do not.

    Args:
        step: its number.
        before: how many numbers were drawn at a time before the change, in their order: below 0 on a device.
        after: likewise after the change. Where both compute the same, a number's place says which one it is.
    """
    to_device, to_host, regrouped = _moved(before, after)
    found = [
        f"{count:,} random number{'' if count == 1 else 's'} {words}"
        for count, words in (
            (to_device, "on the GPU that were drawn on the CPU"),
            (to_host, "on the CPU that were drawn on the GPU"),
        )
        if count
    ]
    if regrouped:
        found.append("those of the GPU by other calls than before")
    return f"step {step} draws {' and '.join(found)}: {_REAL}" if found else ""


def _moved(before: Sequence[int], after: Sequence[int]) -> tuple[int, int, bool]:
    """How many numbers a device draws instead of the host, and the host instead of a device; and whether a device draws
    some by other calls: its generator gives other numbers then.
    """
    to_device, to_host, regrouped = 0, 0, False
    left, right = list(reversed(before)), list(reversed(after))
    while left and right:
        was, now = left.pop(), right.pop()
        size = min(abs(was), abs(now))
        if was > 0 > now:
            to_device += size
        elif now > 0 > was:
            to_host += size
        elif was < 0 and was != now:
            regrouped = True
        for rest, count in ((left, was), (right, now)):
            if abs(count) > size:
                rest.append(count - size if count > 0 else count + size)
    return to_device, to_host, regrouped
