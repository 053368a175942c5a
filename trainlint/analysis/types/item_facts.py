"""What the code that makes a loader's items or batches shows of them, as one file tells it to others."""

from __future__ import annotations

from typing import NamedTuple


class ItemFacts(NamedTuple):
    """What code that makes items names."""

    device: bool
    """It moves something to a device, or creates it on one."""
    sparse: bool
    """It names sparse or nested tensors."""
    ready: bool = False
    """It only takes items out of what its dataset holds."""
