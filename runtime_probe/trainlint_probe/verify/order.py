"""What the parent asks of the process that runs one version of the script."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Order:
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
    edits: Mapping[str, str] = field(default_factory=dict)
    """By the real path of a file of the user's: the file with the text that takes its place."""
    seed: int | None = None
    """What random numbers start from where the script seeds none itself; None leaves them alone."""


RESULT = "trial.json"
