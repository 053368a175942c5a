"""Functions of libraries that run a function that they are given, before they return or as their result is iterated."""

from __future__ import annotations

_FUNCTION_AT = {
    "map": 0,
    "filter": 0,
    "starmap": 0,
    "reduce": 0,
    "checkpoint": 0,
    "register_hook": 0,
    "tree_map": 0,
    "tree_map_": 0,
    "tree_map_only": 1,
    "map_structure": 0,
    "recursively_apply": 0,
    "apply_to_collection": 2,
}
"""The position of the function. A hook of a tensor runs in the backward pass to come."""


def position_of_function(name: str) -> int | None:
    """Which argument a function of this name calls; None for others."""
    return _FUNCTION_AT.get(name)
