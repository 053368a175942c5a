"""Words by which a file says that it is run as a program, and that something in it updates parameters."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainlint.patterns import lazy

_RUNS = lazy(rb"^if[ \t(]{1,9}__name__[ \t]{0,9}==", re.MULTILINE)
_UPDATES = lazy(
    rb"[Oo]ptim|\.step\(|\blr\b|learning_rate|\b(?:SGD|sgd|Adam)|Trainer|\.fit\(|apply_grad|\bupdate_\w{0,40}\(|"
    rb"\.add_\(|\.sub_\(|_foreach_|\b(?:train|backward)_\w{0,40}\("
)
"""Wide on purpose: what meets none of it updates nothing."""


class Program(NamedTuple):
    """What the bytes of a file say of the program that it is a part of."""

    runs: bool
    """It has a part that runs only when it is started: `if __name__ == "__main__":`."""
    updates: bool
    """Something in it may update parameters."""


def program(data: bytes) -> Program:
    """What a file says of its program."""
    return Program(_RUNS.search(data) is not None, _UPDATES.search(data) is not None)
