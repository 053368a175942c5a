"""The parsers of the commands. That of `check` stands in `arguments.py`, so that it imports no further module."""

from __future__ import annotations

import argparse

from trainlint.cli.arguments import (
    SHELLS,
    Help,
    Parser,
    add_cache,
    add_cache_directory,
    add_color,
    add_files,
    add_jobs,
    add_plugins,
    add_rules,
    add_settings,
    check_parser,
    one_of,
    typed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def command_parser(command: str) -> argparse.ArgumentParser:
    """The parser of one of COMMANDS."""
    builders: dict[str, Callable[[], argparse.ArgumentParser]] = {
        "check": check_parser,
        "why": _why_parser,
        "advise": _advise_parser,
        "explain": _explain_parser,
        "rules": _rules_parser,
        "server": _server_parser,
        "mcp": _mcp_parser,
        "clean": _clean_parser,
        "completion": _completion_parser,
        "baseline": _baseline_parser,
    }
    return builders[command]()


def _why_parser() -> argparse.ArgumentParser:
    from trainlint.report.why.text import FORMATS

    parser = Parser(
        "trainlint why",
        usage="trainlint why FILE[:LINE | :FIRST-LAST] [options]",
        description="Explain a line: how often it runs, whether autograd is on, what its values are, and why "
        "each rule reports something or is silent. Without LINE: each line that a rule looks at.",
        epilog="Exit codes: 0; 2 where the file cannot be read or has no such line.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("place", metavar="FILE[:LINE]", help="as in train.py:88 or train.py:80-95")
    add_plugins(parser)
    _add_page_format(parser, FORMATS)
    add_color(parser)
    add_settings(parser)
    add_cache(parser)
    return parser


def _advise_parser() -> argparse.ArgumentParser:
    from pathlib import Path

    from trainlint.report.advice import FORMATS

    parser = Parser(
        "trainlint advise",
        usage="trainlint advise [PATH ...] [options]",
        description="List what to do first: findings by rule, each with its gain (measured, planned or "
        "published), effort, changes, and what to check afterwards.",
        epilog="Exit codes: 0; 2 where something could not be judged.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help=argparse.SUPPRESS)
    parser.add_argument(
        "--evidence", type=Path, metavar="FILE", help="what `trainlint probe --output-format json -o FILE` measured"
    )
    parser.add_argument("--plan", type=Path, metavar="FILE", help="what `trainlint plan --output-format json` wrote")
    parser.add_argument(
        "--oom", metavar="FILE", help="read PyTorch's message that memory ran out, from a log or from `-`"
    )
    _add_page_format(parser, FORMATS)
    add_color(parser)
    add_rules(parser)
    add_jobs(add_files(parser))
    return parser


def _server_parser() -> argparse.ArgumentParser:
    from trainlint.config.settings import OF_FILES

    parser = Parser(
        "trainlint server",
        usage="trainlint server [options]",
        description="Judge what is open in an editor, over the Language Server Protocol on standard input "
        "and output. Editors start it. Options win over the settings of each project.",
        epilog="Exit codes: 0; 2 where it cannot start.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.set_defaults(paths=[])
    add_rules(parser)
    files = parser.add_argument_group(OF_FILES)
    add_settings(files)
    add_cache(files)
    return parser


def _mcp_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "trainlint mcp",
        usage="trainlint mcp [options]",
        description="Answer a coding agent over the Model Context Protocol on standard input and output. The agent's "
        "program starts it in the project's directory.",
        epilog="Exit codes: 0; 2 where it cannot start.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--read-only", action="store_true", help="offer no tool that writes a file or runs code of the project"
    )
    return parser


def _explain_parser() -> argparse.ArgumentParser:
    from trainlint.report.rule_pages.explain import FORMATS

    parser = Parser(
        "trainlint explain",
        usage="trainlint explain RULE [RULE ...] [options]",
        description="Show the pages of rules: what each finds, why it costs, and what to write instead.",
        epilog="Exit codes: 0; 2 where there is no such rule.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("rules", nargs="+", metavar="RULE", help="codes such as TRN201, or names, in any case")
    add_plugins(parser)
    _add_page_format(parser, FORMATS)
    add_color(parser)
    return parser


def _rules_parser() -> argparse.ArgumentParser:
    from trainlint.config.kinds import RULES, SEVERITY
    from trainlint.report.rule_pages.explain import FORMATS

    parser = Parser(
        "trainlint rules",
        usage="trainlint rules [WORD ...] [options]",
        description="List the rules, or those that match all of the words: in their code, name or summary, "
        "else on their pages, or by what people call it (oom, leak, num_workers, tqdm).",
        epilog="Exit codes: 0; 2 where no rule is left to list.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--select", type=typed(RULES), action="extend", metavar="RULES", help="only these: codes, prefixes, names"
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help=argparse.SUPPRESS)
    parser.add_argument(
        "--severity", type=typed(SEVERITY), help="only those of this severity: advice, warning or error"
    )
    parser.add_argument("--fixable", action="store_true", help="only those with a fix")
    parser.add_argument("--preview", action="store_true", help="only those not yet proved precise")
    add_plugins(parser)
    _add_page_format(parser, FORMATS)
    add_color(parser)
    return parser


def _clean_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "trainlint clean",
        usage="trainlint clean [options]",
        description="Delete the cache that `trainlint check` keeps for the project of the working directory.",
        epilog="Exit codes: 0; 2 where what is there is no cache of trainlint, or cannot be deleted.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("--all", action="store_true", help="delete the caches of all projects, and the list of rules")
    add_cache_directory(parser)
    return parser


def _completion_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "trainlint completion",
        usage="trainlint completion SHELL",
        description="Print a script with which a shell completes commands, options, rules and files.",
        epilog="Where each shell looks for it: docs/completion.md.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="%(choices)s")
    return parser


def _add_page_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    parser.add_argument(
        "--output-format",
        type=one_of(formats),
        default="text",
        metavar="FORMAT",
        help=f"{', '.join(formats)} (default: text)",
    )


def _baseline_parser() -> argparse.ArgumentParser:
    from pathlib import Path

    from trainlint.baseline.file import DEFAULT_NAME

    parser = Parser(
        "trainlint baseline",
        usage="trainlint baseline [PATH ...] [options]",
        description="Accept the present findings: `trainlint check` then reports only new ones, where the "
        "configuration or --baseline names the file that is written. Entries of files that are not judged now stay.",
        epilog="Exit codes: 0; 2 where something could not be judged, or the file cannot be read or written.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help=argparse.SUPPRESS)
    parser.add_argument(
        "-o",
        "--output-file",
        type=Path,
        metavar="FILE",
        help=f"the baseline (default: the key `baseline` of the configuration, else {DEFAULT_NAME})",
    )
    parser.add_argument("--prune", action="store_true", help="drop entries whose findings are gone, and add nothing")
    add_rules(parser)
    add_jobs(add_files(parser))
    return parser
