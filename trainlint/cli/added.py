"""Commands that the probe's package brings: the core knows them by their entry points alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from trainlint.cli.console import UsageError
from trainlint.installation.distributions import entry_points

if TYPE_CHECKING:
    from argparse import ArgumentParser

GROUP = "trainlint.commands"
"""The group of entry points that commands come in by. Each names a function from arguments to an exit code."""


def added_parser(name: str) -> ArgumentParser:
    """The parser of a command: `parser_of` in the module that has `probe` knows it. Raises UsageError."""
    module = import_module(added_command("probe").__module__)
    parser: ArgumentParser = module.parser_of(name)
    return parser


def added_command(name: str) -> Callable[[Sequence[str]], int]:
    """The function behind a command. Raises UsageError where it is not installed, or does not import."""
    target = next((target for found, target in entry_points(GROUP) if found == name), None)
    if target is None:
        raise UsageError(f"`trainlint {name}` is not installed; install trainlint again")
    module, _, function = target.partition(":")
    try:
        command: Callable[[Sequence[str]], int] = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"`trainlint {name}` does not load ({error}); install trainlint again") from error
    return command
