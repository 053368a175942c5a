"""The parsers of the commands that a project is set up with: `trainlint baseline` and `trainlint init`."""

from __future__ import annotations

import argparse
from pathlib import Path

from trainlint.baseline.file import DEFAULT_NAME
from trainlint.cli.arguments import Help, Parser, add_files, add_jobs, add_rules


def baseline_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint baseline`."""
    parser = Parser(
        "trainlint baseline",
        usage="trainlint baseline [PATH ...] [options]",
        description="Accept the present findings: `trainlint check` then reports only new ones. Writes the baseline, "
        "and its name into the configuration. Entries of files that are not judged now stay.",
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


def init_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint init`."""
    parser = Parser(
        "trainlint init",
        usage="trainlint init [DIRECTORY] [options]",
        description="Write a configuration from what the project shows: versions of torch, tests, generated "
        "code. Appends to pyproject.toml, or creates trainlint.toml. With --agents, write "
        "instructions for coding agents instead.",
        epilog="Exit codes: 0; 2 where there is a configuration already, or the file cannot be written.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument("directory", nargs="?", default=".", metavar="DIRECTORY", help=argparse.SUPPRESS)
    parser.add_argument(
        "--agents",
        action="store_true",
        help="add a section to AGENTS.md and CLAUDE.md, and write a skill, on reviewing training code",
    )
    parser.add_argument("--diff", action="store_true", help="show what would be written, and write nothing")
    return parser
