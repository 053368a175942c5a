"""Functions that keep the structure of what they are given: each leaf is what another function makes of it."""

from __future__ import annotations

from typing import NamedTuple


class StructureMap(NamedTuple):
    """One function, by the last name under which it is called."""

    name: str
    packages: str
    """The packages that have it, separated by spaces; empty for built-ins."""
    tree: int = 1
    """The position of what is mapped."""
    function: int = 0
    """The position of the function that is called for each leaf."""
    flat: bool = False
    """Whether the items of one iterable are mapped, not the leaves of a nest."""


class Mover(NamedTuple):
    """One function that copies all tensors of a nest to a device."""

    name: str
    packages: str
    tree: int = 0
    device: int = 1


_MAPS = (
    StructureMap("map", "", flat=True),
    StructureMap("tree_map", "torch optree jax"),
    StructureMap("tree_map_only", "torch", tree=2, function=1),
    StructureMap("map_structure", "tree tensorflow"),
    StructureMap("apply_to_collection", "lightning lightning_utilities", tree=0, function=2),
    StructureMap("recursively_apply", "accelerate"),
)
_MOVERS = (
    Mover("send_to_device", "accelerate"),
    Mover("move_data_to_device", "lightning"),
)
MAPS: dict[str, StructureMap] = {row.name: row for row in _MAPS}
MOVERS: dict[str, Mover] = {row.name: row for row in _MOVERS}
NAMES = (*MAPS, *MOVERS)
