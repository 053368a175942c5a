"""What is used around a file: by the programs that it is a part of, and by what these import."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath

from trainlint.analysis.project.summary import Summary
from trainlint.analysis.tables.fact_kinds import Use

_PACKAGE = "__init__.py"


def uses_around(summaries: Sequence[Summary], imports: Sequence[Collection[int]]) -> list[frozenset[Use]]:
    """For each file what is used by itself, by the files that import it at any distance, and by what all these import.

    That is more than what a run of one of these programs uses: where something is not among it, it surely is not
    used. Not followed is what a package's `__init__.py` brings together, as that is a library's whole interface. Tests
    and benchmarks count for themselves alone.
    """
    passing = [not one.is_test and PurePath(one.path).name != _PACKAGE for one in summaries]
    outwards = [
        [other for other in several if passing[other]] if passes else []
        for several, passes in zip(imports, passing, strict=True)
    ]
    inwards: list[list[int]] = [[] for _ in summaries]
    for file, targets in enumerate(outwards):
        for target in targets:
            inwards[target].append(file)
    return _spread(_spread([summary.uses for summary in summaries], inwards), outwards)


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
