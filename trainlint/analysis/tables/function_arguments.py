"""Functions of libraries that run a function that they are given."""

from __future__ import annotations

LOADER_ARGUMENTS = frozenset({"collate_fn", "worker_init_fn"})
"""Options of a loader that its workers run."""
_RUN_FIRST = frozenset(
    "map filter starmap reduce checkpoint tree_map tree_map_ tree_map_only map_structure apply_to_collection".split()
)


def runs_argument(name: str) -> bool:
    """Whether a function of this name calls its first argument before it returns, or as its result is iterated."""
    return name in _RUN_FIRST
