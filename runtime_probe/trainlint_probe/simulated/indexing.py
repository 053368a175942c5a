"""What goes to the device when tensors are indexed there by what lies on the host."""

from __future__ import annotations

from typing import Any

from trainlint_probe.simulated.descriptions.waiting import MASKS, fills
from trainlint_probe.simulated.errors import index_elsewhere, two_devices
from trainlint_probe.simulated.events import HOST_TO_DEVICE, Kind, Log, What
from trainlint_probe.simulated.places import Places


def copy_indices(places: Places, log: Log, args: Any) -> None:
    """Indices on the host go to the device, one by one. A mask on the host is searched there, and the places that
    it selects go to the device from pinned memory (IndexingUtils.h, expandTensors).
    """
    device = places.device(args[0])
    for index in args[1]:
        if index is None:
            continue
        if places.device(index) is not None:
            if device is None:
                raise index_elsewhere()
        elif device is not None and index.dtype in MASKS:
            what = What(Kind.COPY, "mask from the host", HOST_TO_DEVICE, blocking=False)
            selected = index.numel() if index.is_meta else int(index.count_nonzero())
            log.note(what, selected * index.dim() * 8)
        elif device is not None:
            log.note(What(Kind.COPY, "index from the host", HOST_TO_DEVICE, pageable=True), index.numel() * 8)
    if len(args) > 2 and device is not None and places.device(args[2]) is None and not fills(places, args):
        if args[2].dim():
            raise two_devices(device, "index_put_")
        # One number of the host goes along; a mask alone becomes masked_fill instead.
        log.note(What(Kind.COPY, "number written by an index", HOST_TO_DEVICE, pageable=True), 8)
