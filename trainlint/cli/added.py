"""Commands that the probe's package brings: the core knows them by their entry points alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import cast

from trainlint.cli.console import UsageError

GROUP = "trainlint.commands"
"""The group of entry points that commands come in by. Each names a function from arguments to an exit code."""


def added_command(name: str) -> Callable[[Sequence[str]], int]:
    """The function behind a command. Raises UsageError where it is not installed, or does not import."""
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None:
        raise UsageError(f"`trainlint {name}` is not installed; install trainlint again")
    try:
        return cast("Callable[[Sequence[str]], int]", found.load())
    except ImportError as error:
        raise UsageError(f"`trainlint {name}` does not load ({error}); install trainlint again") from error
