"""How people call the number of batches that make one step of the optimizer."""

from __future__ import annotations

import re

from trainlint.patterns import lazy

_MICRO_BATCHES = lazy(r"accum|(^|_)update_freq$|iter_size|(^|_)micro_?(batch|step)", re.IGNORECASE)


def speaks_of_micro_batches(name: str) -> bool:
    """Whether a name is one of a number of batches whose gradients are added up, or of something made of it."""
    return bool(_MICRO_BATCHES.search(name))
