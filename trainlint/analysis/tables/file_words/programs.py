"""Words by which a file says that it is run as a program, and that something in it updates parameters."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainlint.patterns import lazy

_RUNS = lazy(rb"^if[ \t(]{1,9}__name__[ \t]{0,9}==", re.MULTILINE)
_UPDATES = (
    b"optim Optim .step( .lr (lr learning_rate SGD sgd Adam Trainer .fit( apply_grad update_ .add_( .sub_( _foreach_ "
    b"train_ backward_"
).split()
"""Wide on purpose: what holds none of it updates nothing."""
_RATE = b" lr"


class Program(NamedTuple):
    """What the bytes of a file say of the program that it is a part of."""

    runs: bool
    """It has a part that runs only when it is started: `if __name__ == "__main__":`."""
    updates: bool
    """Something in it may update parameters."""


def program(data: bytes) -> Program:
    """What a file says of its program."""
    runs = b"__name__" in data and _RUNS.search(data) is not None
    return Program(runs, _RATE in data or any(word in data for word in _UPDATES))
