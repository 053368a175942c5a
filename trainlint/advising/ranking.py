"""In which order to do things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trainlint.advising.item import Basis, Item


def ranked(items: Iterable[Item]) -> tuple[Item, ...]:
    """What computes something wrong first, then by gain, and nothing before what it rests on.

    What others rest on comes as early as the first of them, unless it was measured to be nothing.

    A measured gain counts with its lower bound, a planned one with half of its upper bound and after every measured
    one of the same size; what is not known comes after what is. A published gain is one of another program, and does
    not count. What was measured to be nothing is last. What is equal in all this keeps its order, which is that of
    `trainlint check`.
    """
    listed = list(items)
    by_key = {item.key: item for item in listed if not _is_nothing(item)}
    ranks = {item.key: _rank(item) for item in listed}
    for item in listed:
        for first in _all_before(item, by_key):
            ranks[first] = min(ranks[first], _rank(item))
    waiting = sorted(listed, key=lambda item: ranks[item.key])
    placed: list[Item] = []
    while waiting:
        missing = {item.key for item in waiting if not _is_nothing(item)}
        ready = next((item for item in waiting if not missing & set(item.after)), waiting[0])
        waiting.remove(ready)
        placed.append(ready)
    return tuple(placed)


def _all_before(item: Item, by_key: Mapping[str, Item]) -> set[str]:
    """The keys of all that an item rests on, directly or not, where there is something to do."""
    found: set[str] = set()
    todo = [item]
    while todo:
        new = {key for key in todo.pop().after if key in by_key} - found
        found |= new
        todo += [by_key[key] for key in new]
    return found


def _is_nothing(item: Item) -> bool:
    return item.gain.basis is Basis.MEASURED and item.gain.high == 0


def _rank(item: Item) -> tuple[bool, bool, float, int]:
    gain = item.gain
    if gain.basis <= Basis.PUBLISHED:
        return not item.wrong, False, 0.0, 0
    share = (gain.low or 0.0) if gain.basis is Basis.MEASURED else (gain.high or 0.0) / 2
    return not item.wrong, _is_nothing(item), -share, -gain.basis
