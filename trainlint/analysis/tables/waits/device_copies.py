"""Methods of tensors, and functions of PyTorch, that copy from the host to the device."""

from __future__ import annotations

from typing import NamedTuple


class DeviceCopy(NamedTuple):
    """One method or function, by its last name."""

    name: str
    of_argument: bool = False
    """Whether it copies its first argument; else the tensor whose method it is."""
    origin: str = ""
    """The dotted origin of a function; empty for methods."""
    may_go_on: bool = True
    """Whether it takes `non_blocking`, so that the host need not wait."""
    of_objects: bool = False
    """Whether modules and batches of a class of their own have it, too."""


_ROWS = (
    DeviceCopy("to", of_objects=True),
    DeviceCopy("cuda", of_objects=True),
    DeviceCopy("type"),
    DeviceCopy("copy_", of_argument=True),
    DeviceCopy("as_tensor", of_argument=True, origin="torch.as_tensor", may_go_on=False),
    DeviceCopy("asarray", of_argument=True, origin="torch.asarray", may_go_on=False),
    DeviceCopy("tensor", of_argument=True, origin="torch.tensor", may_go_on=False),
    DeviceCopy("type_as", may_go_on=False),
    DeviceCopy("new_tensor", of_argument=True, may_go_on=False),
)
COPIES: dict[str, DeviceCopy] = {row.name: row for row in _ROWS}
SHARING = ("torch.as_tensor", "torch.asarray")
"""Functions that give a tensor on the host as it is, and so only copy where the device is another."""
MOVES = tuple(row.name for row in _ROWS if row.of_objects)
"""Methods by which tensors, modules and batches go to a device."""
MOVING_METHODS = tuple(row.name for row in _ROWS if not row.of_argument)
"""Methods that give the tensor itself on another device."""
TAKING_NON_BLOCKING = tuple(row.name for row in _ROWS if not row.of_argument and row.may_go_on)
"""Those of them that take `non_blocking`."""
