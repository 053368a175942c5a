"""Functions of libraries that run a function that they are given."""

from __future__ import annotations

from trainlint.analysis.tables.structure_maps import MAPS

LOADER_ARGUMENTS = frozenset({"collate_fn", "worker_init_fn"})
"""Options of a loader that its workers run."""
_RUN_FIRST = frozenset("filter starmap reduce checkpoint tree_map_ register_hook".split())
"""Those that map no structure: they run their first argument. A hook of a tensor runs in the backward pass to come."""


def position_of_function(name: str) -> int | None:
    """Which argument a function of this name calls before it returns, or as its result is iterated."""
    row = MAPS.get(name)
    if row is not None:
        return row.function
    return 0 if name in _RUN_FIRST else None
