"""What the parent asks of the process that runs one version of the script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Some lines of a file."""

    path: str
    """The real path."""
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run of one version."""

    script: str
    """A path, or with `module` the name of a module."""
    output: str
    """An existing directory, for this run alone. What was seen is written there, to `RESULT`."""
    arguments: tuple[str, ...] = ()
    module: bool = False
    warmup: int = 5
    """Steps before those that are timed."""
    steps: int = 30
    """Steps that are timed, and after which losses and parameters are read."""
    edits: Mapping[str, str] = field(default_factory=dict)
    """By the real path of a file of the user's: the file with the text that takes its place."""
    seed: int | None = None
    """What random numbers start from where the script seeds none itself; None leaves them alone."""
    places: tuple[Place, ...] = ()
    """What to watch for being reached, which takes time: where there is any, the run is not timed."""
    processes: int = 1
    """How many run this order together, each a rank of one training."""
    parent: int = 0
    """The process that waits: where it is gone, the run ends. 0: nobody waits."""
    script_directory: str = ""
    """Where the script lies; empty where it has not been found yet."""
    overlaid: tuple[str, ...] = ()
    """Directories in which the script writes to a layer: nothing there is to be guarded."""
    takes_turns: bool = False
    """Whether another run shares the machine, and the steps of the window are taken in turns (`turns`)."""
    more_steps: int = 0
    """Steps that are timed besides, where those are short."""
    pages_aside: int = 0
    """Pages of memory that are taken before the script, so that all that it takes lies elsewhere."""


VARIABLE = "TRAINLINT_TRIAL"
"""The environment variable by which processes that the script starts find their order: a file."""


def result_of(rank: int | str) -> str:
    """The file, in the output directory, with what a rank has seen; of "*" the pattern of all."""
    return f"trial.rank{rank}.json"
