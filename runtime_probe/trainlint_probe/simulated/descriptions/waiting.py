"""Whether an operator that may wait does so, given its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from trainlint.analysis.tables.waits.operators import OperatorWait, When
from trainlint_probe.simulated.places import Places

MASKS = (torch.bool, torch.uint8)
"""Types of indices that say of each element whether it is selected."""


def does_wait(row: OperatorWait, places: Places, args: Any, kwargs: Any) -> bool:
    """Whether the host waits for an operator with these arguments."""
    return _CIRCUMSTANCES[row.when](places, args, kwargs)


def _masks(places: Places, args: Any) -> bool:
    return any(index is not None and index.dtype in MASKS and places.device(index) is not None for index in args[1])


def fills(places: Places, args: Any) -> bool:
    """Whether a write by a mask is one of a single number of the host, which needs no count of the mask."""
    accumulates = len(args) > 3 and args[3]
    indices = [index for index in args[1] if index is not None]
    is_number = args[2].numel() == 1 and places.device(args[2]) is None
    return is_number and not accumulates and len(indices) == 1 and _masks(places, args)


def _masks_written(places: Places, args: Any, kwargs: Any) -> bool:
    return not fills(places, args) and _masks(places, args)


def _are_others(places: Places, args: Any, kwargs: Any) -> bool:
    left, right = args
    start, other = ((each.untyped_storage()._cdata, each.storage_offset()) for each in (left, right))
    same = start == other and left.stride() == right.stride() and left.dtype == right.dtype
    return left.shape == right.shape and bool(left.numel()) and not same


_CIRCUMSTANCES: dict[When, Callable[[Places, Any, Any], bool]] = {
    When.ALWAYS: lambda places, args, kwargs: True,
    When.MASK_INDEX: lambda places, args, kwargs: _masks(places, args),
    When.MASK_WRITE: _masks_written,
    When.NO_OUTPUT_SIZE: lambda places, args, kwargs: kwargs.get("output_size") is None,
    When.OTHER_VALUES: _are_others,
    When.ONE_SAMPLE: lambda places, args, kwargs: (
        args[1] == 1 or not (args[2] if len(args) > 2 else kwargs.get("replacement", False))
    ),
    When.DEVICE_VALUE: lambda places, args, kwargs: places.device(args[-1]) is not None,
    When.EQUAL_BOUNDS: lambda places, args, kwargs: (
        (args[2] if len(args) > 2 else kwargs.get("min", 0)) == (args[3] if len(args) > 3 else kwargs.get("max", 0))
    ),
    When.MANY_TEST_ELEMENTS: lambda places, args, kwargs: (
        not kwargs.get("assume_unique") and args[1].numel() >= 10 * args[0].numel() ** 0.145
    ),
    When.CHECKED: lambda places, args, kwargs: kwargs.get("lengths") is not None and not kwargs.get("unsafe"),
}
