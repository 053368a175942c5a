"""In which order to do things."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.advising.item import Basis, Item


def ranked(items: Iterable[Item]) -> tuple[Item, ...]:
    """What computes something wrong first, then by gain, and nothing before what it rests on.

    A measured gain counts with its lower bound, a planned or published one with half of its upper bound and after
    every measured one of the same size; what is not known comes after what is. What was measured to be nothing is
    last. What is equal in all this keeps its order.
    """
    waiting = sorted(items, key=_rank)
    placed: list[Item] = []
    while waiting:
        missing = {item.key for item in waiting}
        ready = next((item for item in waiting if not missing & set(item.after)), waiting[0])
        waiting.remove(ready)
        placed.append(ready)
    return tuple(placed)


def _rank(item: Item) -> tuple[bool, bool, float, int]:
    gain = item.gain
    nothing = gain.basis is Basis.MEASURED and gain.high == 0
    share = (gain.low or 0.0) if gain.basis is Basis.MEASURED else (gain.high or 0.0) / 2
    return not item.wrong, nothing, -share, -gain.basis
