"""Links files of which the cache knows most: only what changed is summarised again, and often nothing is linked again.

The keys name all that a summary and what files are told depend on. docs/cache.md tells the whole way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.linkage import outsides, summarised
from trainlint.engine.summarised import Summarised
from trainlint.engine.unchosen import unchosen
from trainlint.model.outside import Outside
from trainlint.records import dataclass

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.linkage import Member
    from trainlint.engine.tasks import Doer


@dataclass(frozen=True, slots=True)
class Told:
    """What linking told files."""

    numbers: tuple[int, ...]
    """Which of the members were told something, by their places."""
    outsides: tuple[Outside, ...]


def resummarised(members: Sequence[Member], doer: Doer, cache: Cache) -> list[Summarised]:
    """Each file's summary, or its mark alone where that is known."""
    keys = [_key_of_summary(member, cache) for member in members]
    known = cache.store.marks([key for key in keys if key is not None])
    new = [member for member, key in zip(members, keys, strict=True) if key not in known]
    cache.recalled.summaries = (len(members) - len(new), len(members))
    cache.rest()
    made = iter(summarised(new, doer))
    results: list[Summarised] = []
    for member, key in zip(members, keys, strict=True):
        if key in known:
            results.append(Summarised(mark=known[key]))
            continue
        result = next(made)
        if key is not None and result.packed is not None:
            cache.keep_packed(key, result.packed, result.mark, member.path)
        results.append(result)
    return results


def relinked(
    members: Sequence[Member], results: list[Summarised], ambiguous: frozenset[str], doer: Doer, cache: Cache
) -> dict[Path, Outside]:
    """What the files are told. Where no summary has changed, that has not changed either.

    Where some have, those that are known by their marks alone are fetched into `results`.
    """
    key = _key_of_linking(members, results, ambiguous, cache)
    kept = cache.get({"told": key}).get("told")
    if isinstance(kept, Told):
        return {members[number].path: told for number, told in zip(kept.numbers, kept.outsides, strict=True)}
    _fetch(members, results, doer, cache)
    told = outsides(members, results, ambiguous)
    numbers = tuple(number for number, member in enumerate(members) if member.path in told)
    cache.keep(key, Told(numbers, tuple(told[members[number].path] for number in numbers)))
    return told


def _fetch(members: Sequence[Member], results: list[Summarised], doer: Doer, cache: Cache) -> None:
    """Get hold of the summaries of which only the marks are known."""
    wanted = {
        number: _key_of_summary(members[number], cache)
        for number, result in enumerate(results)
        if not result.is_at_hand
    }
    values = cache.store.values([key for key in wanted.values() if key is not None])
    for number, key in wanted.items():
        results[number] = Summarised(packed=values.get(key) if key is not None else None)
    # What another process dropped meanwhile, or what is damaged, is made once more.
    lost = [number for number in wanted if results[number].summary is None]
    if lost:
        cache.rest()
        for number, result in zip(lost, summarised([members[number] for number in lost], doer), strict=True):
            results[number] = result


def _key_of_summary(member: Member, cache: Cache) -> bytes | None:
    """None for a text that an editor sends: it changes with each keystroke."""
    if member.text is not None:
        return None
    facts = (member.shown, unchosen(member.config, verdicts=False), str(member.names_device))
    return cache.key_of_file("summary", member.path, *facts)


def _key_of_linking(
    members: Sequence[Member], results: Sequence[Summarised], ambiguous: frozenset[str], cache: Cache
) -> bytes:
    facts: list[str | bytes] = [str(len(ambiguous)), *sorted(ambiguous)]
    for member, result in zip(members, results, strict=True):
        facts += (str(member.path), f"{member.group} {member.names_device} {member.judged}", result.mark)
    return cache.key("link", *facts)
