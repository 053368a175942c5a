"""What is used around a file: by the programs that it is a part of, and by what these import."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath

from trainlint.analysis.project.summary import Summary
from trainlint.analysis.tables.fact_kinds import FactKind, Use

_PACKAGE = "__init__.py"


def uses_around(summaries: Sequence[Summary], imports: Sequence[Collection[int]]) -> list[frozenset[Use]]:
    """For each file what is used by itself, by the files that import it at any distance, and by what all these import.

    That is more than what a run of one of these programs uses: where something is not among it, it surely is not
    used. What a package's `__init__.py` brings together is followed for networks alone: as a library's whole interface,
    it says little of what one program uses. Tests and benchmarks count for themselves alone.
    """
    code = [not one.is_test for one in summaries]
    programs = [is_code and PurePath(one.path).name != _PACKAGE for one, is_code in zip(summaries, code, strict=True)]
    networks = [frozenset(use for use in one.uses if use.kind is FactKind.NETWORK) for one in summaries]
    others = [one.uses - own for one, own in zip(summaries, networks, strict=True)]
    both = zip(_around(others, imports, programs), _around(networks, imports, code), strict=True)
    return [uses | found for uses, found in both]


def _around(
    own: Sequence[frozenset[Use]], imports: Sequence[Collection[int]], passing: Sequence[bool]
) -> list[frozenset[Use]]:
    """What is used around each file, through those that pass it on."""
    outwards = [
        [other for other in several if passing[other]] if passes else []
        for several, passes in zip(imports, passing, strict=True)
    ]
    inwards: list[list[int]] = [[] for _ in own]
    for file, targets in enumerate(outwards):
        for target in targets:
            inwards[target].append(file)
    return _spread(_spread(own, inwards), outwards)


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
