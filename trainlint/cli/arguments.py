"""The parsers of the program and of `trainlint check`, and the options that several commands share."""

from __future__ import annotations

import argparse

from trainlint import __version__
from trainlint.cli.console import columns

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is not imported for types alone: `trainlint --version` is to answer at once
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from trainlint.config.kinds import Kind

COMMANDS = {
    "check": "find what makes training slow, wasteful or wrong, and fix it",
    "why": "say what is known of a line, and why rules report something or not",
    "advise": "list what to do first, and what it should bring",
    "explain": "show the page of a rule: what it finds, why, and what to write instead",
    "rules": "list the rules, or those that speak of some words",
    "server": "talk with an editor over the Language Server Protocol",
    "mcp": "talk with a coding agent over the Model Context Protocol",
    "clean": "delete the cache",
    "completion": "print a script with which a shell completes commands, options, rules and files",
    "baseline": "accept the findings that there are; report only new ones",
}

COMMANDS_OF_THE_PROBE = {
    "probe": "run a training for a few steps, or read a trace of one, and prove findings",
    "doctor": "say what a training would find on this machine, and what is off",
    "judge": "answer claims of others about lines, from the code and from a run",
    "prove": "run a training before and after a change, and say whether it computes the same, and what it costs",
    "plan": "say what a training needs of each GPU, and which sharding fits",
}

ALL_COMMANDS = COMMANDS | COMMANDS_OF_THE_PROBE
_UNRECOGNIZED = "unrecognized arguments: "
"""How argparse begins to speak of them."""
_EXIT_CODES = "Exit codes: 0 clean; 1 findings; 2 something could not be judged, which wins over 1."

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""Those that `trainlint completion` knows."""


class Parser(argparse.ArgumentParser):
    """Errors in one sentence, without the list of all options before it."""

    def error(self, message: str) -> NoReturn:
        """End the program with a sentence that says what is wrong."""
        from trainlint.report.characters import sentence, without_commands

        if message.startswith(_UNRECOGNIZED):
            message += self._nearest_option(message.removeprefix(_UNRECOGNIZED))
        # The shell puts names of files here where it expands `*`.
        self.exit(2, without_commands(f"{self.prog}: {sentence(message, unicode=True)}; see `{self.prog} --help`\n"))

    def _nearest_option(self, arguments: str) -> str:
        """The end of a sentence that offers the option most like the first one that is unknown."""
        from trainlint.naming import did_you_mean

        unknown = next((word for word in arguments.split() if word.startswith("--")), None)
        known = [option for option in self._option_string_actions if option.startswith("--")]
        return did_you_mean(unknown.partition("=")[0], known) if unknown else ""


class Help(argparse.HelpFormatter):
    """In the terminal's width."""

    def __init__(self, prog: str) -> None:
        # Each option makes a formatter, and to ask `shutil` for the width would cost 2 ms.
        super().__init__(prog, max_help_position=29, width=columns() - 2)


class _HelpAsWritten(Help, argparse.RawDescriptionHelpFormatter):
    """With the line breaks of the description."""


def program_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint` without a command."""
    commands = "\n".join(f"  {name:<12}{purpose}" for name, purpose in ALL_COMMANDS.items())
    parser = Parser(
        "trainlint",
        usage="trainlint [--version] COMMAND ...",
        description="Finds what makes PyTorch training slow, wasteful or wrong, at the line that does it.",
        epilog=f"commands:\n{commands}\n\nStart with `trainlint check`; `trainlint COMMAND --help` says more.",
        formatter_class=_HelpAsWritten,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"trainlint {__version__}")
    return parser


def check_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint check`."""
    from pathlib import Path

    from trainlint.cli.outputs import DEFAULT_FORMAT, output
    from trainlint.config.settings import OF_EXIT_CODE, OF_FIXES, OF_NEW
    from trainlint.report import FORMATS

    parser = Parser(
        "trainlint check",
        usage="trainlint check [PATH ...] [options]",
        description="Judge Python files and directories: the working directory if no PATH is named, "
        "standard input for `-`.",
        epilog=_EXIT_CODES,
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help=argparse.SUPPRESS)

    add_rules(parser)

    new = parser.add_argument_group(OF_NEW)
    add_keys(new, OF_NEW)
    new.add_argument(
        "--no-baseline", action="store_true", help="report, and with --fix fix, what the baseline lists, too"
    )
    new.add_argument(
        "--diff-base",
        metavar="REF",
        help="report only findings on lines that changed since this branch, tag or commit, or that became hot because "
        "of them",
    )

    fixes = parser.add_argument_group(OF_FIXES)
    fixes.add_argument("--fix", action="store_true", help="apply fixes that keep training bit-identical")
    fixes.add_argument(
        "--numeric-fixes",
        action="store_true",
        help="with --fix or --diff: and those that may change rounding or random order",
    )
    fixes.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with --fix or --diff: and those that change what is computed; read them",
    )
    fixes.add_argument(
        "--diff", action="store_true", help="show what --fix would do and write nothing; exit 1 if anything would be"
    )
    fixes.add_argument("--show-fixes", action="store_true", help="list what was fixed, by file and rule")
    add_keys(fixes, OF_FIXES)
    fixes.add_argument(
        "--add-ignores",
        type=_reason,
        metavar="REASON",
        help="silence what stays by ignore comments that say this reason",
    )

    reports = parser.add_argument_group("output")
    reports.add_argument(
        "--output-format",
        type=Words(output, tuple(FORMATS)),
        action="append",
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(FORMATS)} (default: {DEFAULT_FORMAT}); may be given again for a report in a file",
    )
    reports.add_argument("-o", "--output-file", type=Path, metavar="FILE", help="write the report there, not to stdout")
    reports.add_argument(
        "--only",
        action="append",
        metavar="ID",
        help="report, and with --fix fix, only the finding with this id (see --output-format agent); may be "
        "given again",
    )
    reports.add_argument(
        "--max-findings",
        type=_positive("findings"),
        metavar="N",
        help="list only the first N; the exit code counts all",
    )
    reports.add_argument(
        "--sort",
        type=one_of(("cost", "path")),
        default="cost",
        metavar="ORDER",
        help="cost (the dearest first) or path (for comparing two reports; default: cost)",
    )
    reports.add_argument(
        "--statistics", action="store_true", help="count the findings of each rule in place of listing them"
    )
    reports.add_argument(
        "--evidence",
        type=Path,
        metavar="FILE",
        help="show what a run proved of each finding, most expensive first; `trainlint probe --output-format "
        "json -o FILE` writes it",
    )
    add_color(reports)
    reports.add_argument("-q", "--quiet", action="store_true", help="print findings and failures, nothing else")
    reports.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="show each finding with more of its code, and say on stderr what is done and how long it takes",
    )

    verdict = parser.add_argument_group(OF_EXIT_CODE)
    add_keys(verdict, OF_EXIT_CODE)
    verdict.add_argument("--exit-zero", action="store_true", help="exit 0 in spite of findings")

    files = add_files(parser)
    files.add_argument("--stdin-filename", metavar="PATH", help="what the code on standard input is called")
    shown = files.add_mutually_exclusive_group()
    shown.add_argument("--show-files", action="store_true", help="list the files that would be judged")
    shown.add_argument("--show-settings", action="store_true", help="show the settings that hold for the paths")
    add_jobs(files)
    files.add_argument("--watch", action="store_true", help="judge again whenever a file changes, until Ctrl-C")
    return parser


def add_keys(group: argparse._ArgumentGroup, heading: str) -> None:
    """The options of configuration keys that stand under a heading."""
    from trainlint.config.settings import Config

    for key in Config.keys:
        option = key.option
        if option is None or option.group != heading:
            continue
        text = (key.help + option.also_help).replace("%", "%%")
        if option.metavar is None:
            group.add_argument(key.flag, action="store_true", default=None, help=text)
        else:
            action = "extend" if isinstance(key.default, tuple) else "store"
            words = typed(key.kind, option.also)
            group.add_argument(key.flag, type=words, action=action, metavar=option.metavar, help=text)


def typed(kind: Kind, also: str = "") -> Words:
    """What turns a word of the command line into a value of a kind, or into the word `also`."""
    choices = kind.schema.get("enum")
    offered = [*choices, *([also] if also else [])] if isinstance(choices, list) else []

    def read(text: str) -> object:
        if also and text.lower() == also:
            return also
        assert kind.typed is not None  # an option with a metavar has a kind that can be typed
        try:
            return kind.typed(text)
        except ValueError as error:
            alternative = f", or {also}" if also else ""
            raise argparse.ArgumentTypeError(f"expected {error}{alternative}, not {text!r}{_nearest(text)}") from error

    def _nearest(text: str) -> str:
        from trainlint.naming import did_you_mean

        return did_you_mean(text, offered)

    return Words(read, offered)


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The options that choose rules, under their heading."""
    from trainlint.config.settings import OF_RULES

    rules = parser.add_argument_group(OF_RULES)
    add_keys(rules, OF_RULES)
    add_plugins(rules)


def add_files(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The heading of the options about files, with those that choose a configuration, files and the cache."""
    from trainlint.config.settings import OF_FILES

    files = parser.add_argument_group(OF_FILES)
    add_settings(files)
    add_keys(files, OF_FILES)
    files.add_argument(
        "--exclude",
        "--extend-exclude",
        type=_patterns,
        action="extend",
        default=[],
        metavar="PATTERNS",
        help="leave out what matches, besides what the configuration excludes: path patterns separated by commas, "
        "relative to the working directory",
    )
    add_cache(files)
    return files


def add_jobs(parser: argparse._ActionsContainer) -> None:
    """The option that says how many processes judge."""
    parser.add_argument(
        "-j", "--jobs", type=_positive("processes"), metavar="N", help="how many processes to use (default: what pays)"
    )


def add_plugins(parser: argparse._ActionsContainer) -> None:
    """The option by which further rules are named."""
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="NAME_OR_PATH",
        help="use the rules of this module, .py file or package directory, too",
    )


def add_settings(parser: argparse._ActionsContainer) -> None:
    """The options that choose the configuration file."""
    from pathlib import Path

    settings = parser.add_mutually_exclusive_group()
    settings.add_argument("--config", type=Path, metavar="FILE", help="read this trainlint.toml or pyproject.toml")
    settings.add_argument("--isolated", action="store_true", help="read no configuration file")


def add_cache(parser: argparse._ActionsContainer) -> None:
    """The options of the cache."""
    add_cache_directory(parser)
    parser.add_argument("--no-cache", action="store_true", help="neither use nor keep what earlier runs found out")


def add_cache_directory(parser: argparse._ActionsContainer) -> None:
    """The option that says where caches lie."""
    parser.add_argument(
        "--cache-dir",
        metavar="DIR",
        help="where caches lie, outside of what is judged (default: the user's cache directory)",
    )


def add_color(parser: argparse._ActionsContainer) -> None:
    """The option that says when to use colours."""
    parser.add_argument(
        "--color",
        type=one_of(("auto", "always", "never")),
        default="auto",
        metavar="WHEN",
        help="auto, always, never (default: auto)",
    )


class Words:
    """A reader of a word of the command line, with the words that a shell offers for it."""

    def __init__(self, read: Callable[[str], object], offered: Sequence[str]) -> None:
        self._read = read
        self.offered = tuple(offered)

    def __call__(self, text: str) -> object:
        """What the word stands for. Raises what the reader raises."""
        return self._read(text)


def one_of(words: Sequence[str]) -> Words:
    """What takes one of these words, and offers the nearest for another."""

    def read(text: str) -> str:
        if text in words:
            return text
        from trainlint.naming import did_you_mean

        raise argparse.ArgumentTypeError(f"expected one of {', '.join(words)}, not {text!r}{did_you_mean(text, words)}")

    return Words(read, words)


def unknown_command(word: str) -> str:
    """What is wrong with a first word that is no command, as a sentence."""
    from trainlint.naming import did_you_mean
    from trainlint.paths import exists
    from trainlint.report.words import enumerated

    if exists(word):
        return f"to judge {word}, write `trainlint check {word}`"
    hint = did_you_mean(word, ALL_COMMANDS) or f"; commands are {enumerated(ALL_COMMANDS)}"
    return f'there is no command "{word}"{hint}'


def _patterns(text: str) -> list[str]:
    """Path patterns that are separated by commas."""
    from trainlint.config.globs import check_glob

    words = [word.strip() for word in text.split(",")]
    patterns = [word[1:] if word.startswith("./") else word for word in words]
    for pattern in patterns:
        if problem := check_glob(pattern):
            raise argparse.ArgumentTypeError(f'the pattern "{pattern}" {problem}')
    return patterns


def _positive(noun: str) -> Callable[[str], int]:
    """What takes a number of things from 1 on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"expected a number of {noun} from 1 on, not {text!r}")
        return int(text)

    return read


def _reason(text: str) -> str:
    if not text.strip() or not text.isprintable() or text.lstrip().startswith("#"):
        raise argparse.ArgumentTypeError("expected the reason why findings are to be ignored, on one line")
    return text.strip()
