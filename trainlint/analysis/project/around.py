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
    used. Not followed is what the `__init__.py` of a library brings together: its whole interface says little of what
    one program uses. A package below the directory of a file that imports it is a part of the program, and no library.
    Tests and benchmarks count for themselves alone.
    """
    paths = [PurePath(one.path) for one in summaries]
    outwards = [
        []
        if summaries[file].is_test
        else [other for other in targets if not summaries[other].is_test and _is_part(paths[other], paths[file])]
        for file, targets in enumerate(imports)
    ]
    inwards: list[list[int]] = [[] for _ in summaries]
    for file, targets in enumerate(outwards):
        for target in targets:
            inwards[target].append(file)
    return _spread(_spread([one.uses for one in summaries], inwards), outwards)


def _is_part(imported: PurePath, file: PurePath) -> bool:
    """Whether an imported file is no package, or one below the directory of the file that imports it."""
    return imported.name != _PACKAGE or imported.parent.is_relative_to(file.parent)


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
