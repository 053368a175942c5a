"""What a run tells its listener: operations that make the host wait, and copies from the host to the device."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum, auto
from typing import Literal, NamedTuple

from trainlint.interpreter.values.kinds import Tensor, Unknown
from trainlint.interpreter.values.value import Value

Level = Literal["sure", "framework", "presumed", "orphan"]
"""How the code around is known to run: called from a program, by a framework, presumed to be, or by nobody in sight."""


Certainty = Literal["certain", "likely", "guess"]
"""How much speaks for an event: `certain` and `likely` ones are shown by default."""


class Happening(Enum):
    """What an operation does. All down to SCALE make the host wait, the next copy to the device, the next two free
    memory.
    """

    ITEM = auto()
    COPY_TO_HOST = auto()
    TO_LIST = auto()
    TO_NUMPY = auto()
    TEST = auto()
    """A Python test needs the value."""
    NUMBER = auto()
    """The value is taken as a Python number."""
    FORMAT = auto()
    COMPARE = auto()
    """Python's `max`, `sorted` or `in` compares tensors one by one."""
    BOUND = auto()
    """A slice or a range ends at the value."""
    SIZE = auto()
    """The value is the size of a new tensor."""
    MASK_INDEX = auto()
    MASK_WRITE = auto()
    SIZED = auto()
    """The result's size depends on the data."""
    ANSWER = auto()
    """The function answers yes or no in Python."""
    HOST_WRITE = auto()
    """A tensor of the device is written into one of the host."""
    CHECKED = auto()
    """The function checks values: a distribution its parameters, `torch.linalg.inv` whether it succeeded."""
    SCALARS_TO_TENSOR = auto()
    """`torch.tensor` reads each scalar of a list."""
    SYNCHRONIZE = auto()
    SCALE = auto()
    """The loss scale of a GradScaler is read."""
    BATCH_COPY = auto()
    """A batch is copied, and the host waits."""
    MADE_ON_HOST = auto()
    """A tensor that the device could have made is made on the host and copied."""
    DATA_COPY = auto()
    """Numbers or an array of the host are copied."""
    READ_BACK = auto()
    """What was read from the device is copied to it again."""
    INDEX_COPY = auto()
    """A tensor of the host is used as an index, or written, and copied for it."""
    EMPTY_CACHE = auto()
    COLLECT = auto()
    """Python's garbage collector walks all objects."""
    LOADER = auto()
    """A loader is made, at any time."""


class Link(NamedTuple):
    """A link of the chain from what begins a training step to an operation: that itself, or a call."""

    path: str
    line: int
    words: str
    """As in "for x, y in loader" or "calls Trainer.log"."""
    column: int = 0
    """That of a call: in bytes from 0, and in characters from 1 where the path is the one that users see."""


class Event(NamedTuple):
    """An operation that a run executed in a training step."""

    path: str
    """The file, below the root of the project."""
    node: ast.expr | ast.stmt
    happening: Happening
    what: str
    """The operation, for people."""
    value: Value | None
    """What is read or copied, with its way."""
    level: Level
    chain: tuple[Link, ...]
    """What begins the step, and the calls from there to the operation."""
    in_forward: bool
    """Whether a forward pass is around."""
    function: int = 0
    """The line of the function around; 0 at the top level of a file."""
    idle: bool = False
    """Whether it is presumed to run, in a file that no other file imports."""

    @property
    def certainty(self) -> Certainty:
        """By two facts: whether it is known how often this runs, and whether it is known where the value lies.

        A loop or a framework's hook says how often; what is presumed to run is at most likely. A value that may lie
        on either side, or is taken for a tensor by its name alone, is believed in a real loop only. What an environment
        gives has to be copied in each step, and is no defect unless somebody says so.
        """
        presumed = self.level == "presumed"
        if isinstance(self.value, Tensor) and self.value.source == "observed":
            return "guess"
        if self._is_placed:
            return "guess" if self.idle else "likely" if presumed else "certain"
        return "guess" if presumed else "likely"

    @property
    def _is_placed(self) -> bool:
        value = self.value
        if isinstance(value, Tensor):
            return value.place != "unknown" and value.source != "name"
        return not isinstance(value, Unknown)


Listener = Callable[[Event], None]
