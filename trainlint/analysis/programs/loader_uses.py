"""How other files use the loaders that a file builds."""

from __future__ import annotations

from typing import NamedTuple

from trainlint.analysis.programs.steps import LoopKind
from trainlint.finding import Heat


class LoaderUse(NamedTuple):
    """A loop of another file over a loader, or a hook of another file that gives the loader to a framework's loop."""

    path: str
    line: int
    kind: LoopKind
    heat: Heat
    """That of the loop's body."""
    again: bool
    """Whether the loop begins again and again while the loader stays the same: each epoch, each evaluation."""
    copies: bool
    """Whether it copies batches to the device."""
    changes: bool = False
    """Whether its file changes a loader's dataset (`loader.dataset.epoch = epoch`)."""
    function: str = ""
    """The name of the function that begins the loop once in each call; empty where another loop is around it there."""
    framework: str = ""
    """The framework that runs the loop; empty for a loop that stands in the project."""
