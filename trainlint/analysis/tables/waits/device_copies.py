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
    of_plain_values: bool = False
    """Whether it copies numbers and lists of Python as well."""


_ROWS = (
    DeviceCopy("to"),
    DeviceCopy("cuda"),
    DeviceCopy("type"),
    DeviceCopy("copy_", of_argument=True),
    DeviceCopy("as_tensor", of_argument=True, origin="torch.as_tensor", may_go_on=False, of_plain_values=True),
    DeviceCopy("asarray", of_argument=True, origin="torch.asarray", may_go_on=False, of_plain_values=True),
    DeviceCopy("tensor", of_argument=True, origin="torch.tensor", may_go_on=False, of_plain_values=True),
    DeviceCopy("type_as", may_go_on=False),
    DeviceCopy("new_tensor", of_argument=True, may_go_on=False, of_plain_values=True),
)
COPIES: dict[str, DeviceCopy] = {row.name: row for row in _ROWS}
SHARING = ("torch.as_tensor", "torch.asarray")
"""Functions that give a tensor on the host as it is, and so only copy where the device is another."""
MOVING_TENSORS = (*(f".{row.name}" for row in _ROWS if row.may_go_on), *SHARING)
"""What copies a whole tensor of the host, in the notation of `CallRule.on`."""
MOVING_METHODS = frozenset(row.name for row in _ROWS if not row.of_argument)
"""Methods that give the tensor itself on another device."""
