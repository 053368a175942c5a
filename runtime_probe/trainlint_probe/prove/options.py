"""What may be typed after `trainlint prove`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.cli.arguments import Parser
from trainlint.cli.console import UsageError
from trainlint_probe.options import BEHIND_SCRIPT, RunOptions, add_output, add_run, options_of, words_of

EXIT_CODES = (
    "Exit codes: 0 the training stays the same and nothing gets worse; 1 the training changes, or something "
    "gets worse; 2 wrong usage, or it could not be judged."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(RunOptions):
    """What the user asked of `trainlint prove`."""

    script: str
    """The script, or with `module` the module, that trains."""
    fixes: tuple[str, ...]
    """Rules whose fixes are the change; empty for all safe ones."""
    against: str | None
    """The commit to compare with."""
    before: Path | None
    """The tree to compare with."""
    seed: int
    """What random numbers start from where the script seeds none."""
    allows_changed_losses: bool
    """Whether a training that computes something else is no reason to fail."""


def read_options(arguments: Sequence[str]) -> Options:
    """What was typed. Raises UsageError, or SystemExit as argparse does."""
    parser = prove_parser()
    typed = parser.parse_args(list(arguments))
    words = words_of(typed, parser)
    if not words:
        raise UsageError("name the script that trains, as in `trainlint prove train.py`")
    return options_of(Options, typed, script=words[0], arguments=tuple(words[1:]), fixes=tuple(typed.fixes))


def prove_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint prove`."""
    parser = Parser(
        "trainlint prove",
        usage="trainlint prove [options] SCRIPT [ARGUMENT ...]\n"
        "       trainlint prove [options] -m MODULE [ARGUMENT ...]",
        description="Run a training before and after a change, with the same seeds. Compare waits, copies, "
        "launches, memory and the modelled time of a step, and whether losses and parameters are "
        f"bit-identical. {BEHIND_SCRIPT} Without a GPU, the run is simulated. Your files stay as they are.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    change = parser.add_argument_group("the change").add_mutually_exclusive_group()
    change.add_argument(
        "--fixes",
        action="append",
        default=[],
        metavar="RULE",
        help="apply the fixes of this rule (a code, the beginning of one, a name, or `all`), however safe "
        "they are (default: the safe fixes of all rules)",
    )
    change.add_argument("--against", metavar="COMMIT", help="what the working tree changes since this commit")
    change.add_argument(
        "--before", type=Path, metavar="DIR", help="what the working directory changes compared with a copy of it"
    )
    run = parser.add_argument_group("the runs")
    add_run(run, steps="count (default: 20, on a real device 30)", warmup="(default: 3, on a real device 10)")
    run.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed what the script leaves unseeded (default: 0)"
    )
    run.add_argument(
        "--allow-changed-losses",
        dest="allows_changed_losses",
        action="store_true",
        help="exit with 0 though the training computes something else, if nothing becomes worse",
    )
    add_output(parser)
    return parser
