"""What is used around a file: by the programs that it is a part of, and by what these import."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainlint.analysis.project.summary import Summary
from trainlint.analysis.tables.fact_kinds import ENTERED, Use


def uses_around(summaries: Sequence[Summary], imports: Sequence[Collection[int]]) -> list[frozenset[Use]]:
    """For each file what is used by itself, by the files that import it at any distance, and by what all these import.

    That is more than what a run of one of these programs uses: where something is not among it, it surely is not
    used. Tests and benchmarks count for themselves alone.
    """
    importers: list[list[int]] = [[] for _ in summaries]
    for file, targets in enumerate(imports):
        for target in targets:
            if not summaries[file].is_test:
                importers[target].append(file)
    below = _spread([summary.uses - {ENTERED} for summary in summaries], importers)
    own = [found | (summary.uses & {ENTERED}) for found, summary in zip(below, summaries, strict=True)]
    outwards = [() if one.is_test else tuple(targets) for one, targets in zip(summaries, imports, strict=True)]
    return _spread(own, outwards)


def _spread(own: Sequence[frozenset[Use]], towards: Sequence[Sequence[int]]) -> list[frozenset[Use]]:
    """What each file has itself, and what reaches it from others."""
    found = list(own)
    waiting = list(range(len(found)))
    while waiting:
        file = waiting.pop()
        for other in towards[file]:
            if not found[file] <= found[other]:
                found[other] |= found[file]
                waiting.append(other)
    return found
