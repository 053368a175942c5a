"""`trainlint completion SHELL`: a script that lets a shell complete commands, options, rules and files.

The script holds all words, so that a shell never starts trainlint to complete one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.added import added_parser
from trainlint.cli.arguments import ALL_COMMANDS, COMMANDS_OF_THE_PROBE, Words
from trainlint.cli.command_parsers import command_parser
from trainlint.cli.console import UsageError
from trainlint.report.characters import sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_OF_RULES = frozenset({"RULE", "RULES"})
_OF_FILES = frozenset({"FILE", "PATH", "FILE[:LINE]", "NAME_OR_PATH", "MODEL", "CLAIMS"})
_OF_DIRECTORIES = frozenset({"DIR"})


def completion(options: Namespace) -> int:
    """Print the script. Raises UsageError where shtab is not installed."""
    try:
        import shtab
    except ImportError as error:
        from trainlint.installation.install_command import install_command

        raise UsageError(f"completions need shtab: run `{install_command('shtab')}`") from error
    console.write(sys.stdout, shtab.complete(whole_parser(_codes()), shell=options.shell))
    return 0


def whole_parser(codes: list[str]) -> argparse.ArgumentParser:
    """One parser for all commands, which only completion needs. Options that take rules offer these codes."""
    import shtab

    parser = argparse.ArgumentParser("trainlint")
    parser.add_argument("--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, purpose in ALL_COMMANDS.items():
        of_command = _parser_of(name)
        for action in of_command._actions:  # noqa: SLF001 - argparse has no public list of what it takes
            if action.help == argparse.SUPPRESS:
                action.help = "file or directory"
            if action.metavar in _OF_RULES:
                action.choices = codes
            elif isinstance(action.type, Words) and action.type.offered:
                action.choices = action.type.offered
            elif action.type is Path or action.metavar in _OF_FILES or action.nargs == argparse.REMAINDER:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks
            elif action.metavar in _OF_DIRECTORIES:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # likewise
        commands.add_parser(name, help=purpose, parents=[of_command], add_help=False)
    return parser


def _parser_of(command: str) -> argparse.ArgumentParser:
    if command in COMMANDS_OF_THE_PROBE:
        return added_parser(command)
    return command_parser(command)


def _codes() -> list[str]:
    """The codes of trainlint's own rules and of installed packs, which have no blank in them."""
    from trainlint.catalogue import installed_rules

    return [sentence(rule.code, unicode=False) for rule in installed_rules([], [])]
