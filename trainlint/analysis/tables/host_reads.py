"""Methods of tensors, and functions of PyTorch, that make the host wait for the device or hand it a tensor's values."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from trainlint.analysis.tables.waits.operators import OPERATORS


class Gives(Enum):
    """What a call of one gives."""

    NOTHING = auto()
    NUMBER = auto()
    NUMBERS = auto()
    """Numbers in lists."""
    ARRAY = auto()
    HOST_TENSOR = auto()
    DEVICE_TENSOR = auto()
    """A tensor on the device whose size its data decide."""


class HostRead(NamedTuple):
    """One method or function, by its last name."""

    name: str
    gives: Gives
    waits: bool = True
    """Whether it waits for the device; what does not, such as `numpy`, takes tensors of the host only."""
    integers: bool = False
    """Whether a tensor that it gives holds indices or counts, whatever it is made of."""


ITEM = HostRead("item", Gives.NUMBER)
CPU = HostRead("cpu", Gives.HOST_TENSOR)
TOLIST = HostRead("tolist", Gives.NUMBERS)
SYNCHRONIZE = HostRead("synchronize", Gives.NOTHING)
_ROWS = (
    ITEM,
    TOLIST,
    CPU,
    HostRead("numpy", Gives.ARRAY, waits=False),
    SYNCHRONIZE,
    *(
        HostRead(name, Gives.DEVICE_TENSOR, integers=row.integers)
        for row in OPERATORS
        for name in row.sized  # the same facts as the simulated device counts by
    ),
)
READS: dict[str, HostRead] = {row.name: row for row in _ROWS}
NAMES = tuple(READS)


def _names(*given: Gives) -> frozenset[str]:
    return frozenset(row.name for row in _ROWS if row.gives in given)


WAITING = frozenset(row.name for row in _ROWS if row.waits)
"""All that waits for the device."""
TO_PYTHON = _names(Gives.NUMBER, Gives.NUMBERS)
"""What makes numbers of Python of a tensor."""
TO_NO_TENSOR = TO_PYTHON | _names(Gives.ARRAY)
"""What makes something of a tensor that is none, and carries no graph."""
TO_HOST = TO_NO_TENSOR | _names(Gives.HOST_TENSOR)
"""What hands the host the values of a tensor."""
WAITING_TO_HOST = TO_HOST & WAITING
"""What copies values from the device to the host, and waits for them."""
SIZED_BY_DATA = _names(Gives.DEVICE_TENSOR)
"""What gives tensors whose size depends on data, so that the host waits to know it."""
