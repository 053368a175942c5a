"""What a loader's batches are for, and whether they go to the device."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.tables.waits.device_copies import TAKING_NON_BLOCKING
from trainlint.analysis.types.loaders import Loader
from trainlint.patterns import lazy

_MOVING_CALL = lazy(r"to_?(device|cuda|gpu)|(^|_)(move|put|send)_|prefetch", re.IGNORECASE)


def _possible_copies(file: SemanticModel) -> list[Place]:
    return [
        place
        for name, places in file.outline.calls.items()
        if name in TAKING_NON_BLOCKING or _MOVING_CALL.search(name)
        for place in places
    ]


@once
def copies_by_loader(file: SemanticModel) -> dict[Loader, list[Place]]:
    """Where batches of each loader are copied to the device."""
    found: dict[Loader, list[Place]] = {}
    for place in _possible_copies(file):
        call = place.node
        assert isinstance(call, ast.Call)
        moved = list(call.args[:2])
        if isinstance(call.func, ast.Attribute) and call.func.attr in TAKING_NON_BLOCKING:
            moved = [call.func.value]
        for item in moved:
            for loader in file.batches.sources(item, place.block):
                found.setdefault(loader, []).append(place)
    return found
