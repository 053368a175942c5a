"""What may be typed after `trainlint probe` and `trainlint doctor`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trainlint.bounded import SOURCE_BYTES, read_bounded
from trainlint.cli import console
from trainlint.cli.arguments import Parser, add_color, one_of
from trainlint.cli.console import UsageError
from trainlint.config.kinds import LIMITS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from trainlint.report.settings import Color

PROBE_EXIT_CODES = (
    "Exit codes: 0 nothing confirmed; 1 a finding is confirmed (with --budget: a limit is exceeded); 2 wrong "
    "usage, or something could not be judged; 3 the probe saw no window of steps; 4 the script failed; 5 the "
    "script changed a checkpoint on disk; 124 the time was up."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asked of a run, whichever command starts it."""

    arguments: tuple[str, ...]
    """What is handed to the script."""
    module: bool
    """Whether the script is named as a module."""
    steps: int | None
    """None: as many as the device needs."""
    warmup: int | None
    timeout: float
    """Seconds, of each run."""
    device: str
    """"auto", "cpu", "cuda" or "simulated", the last with a machine behind a colon."""
    processes: int
    """How many to start through torch's own launcher; 1 starts the script as it is."""
    overlay: bool | None
    """Whether the script may run on an overlay alone (True), or never (False); None takes one where there can be."""
    output_format: str
    output_file: Path | None
    color: Color


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(RunOptions):
    """What the user asked of `trainlint probe`."""

    script: str | None
    """The script, or with `module` the module, that trains; None where a trace is judged."""
    trace: Path | None
    """A trace, or a directory with one for each rank."""
    paths: tuple[Path, ...]
    """What to judge statically; by default the script and the files that were seen at work."""
    values: bool
    """Whether a simulated device computes values."""
    deep: bool | None
    """Whether to run a few more steps under PyTorch's profiler; None does so where there is an accelerator."""
    budget: bool
    """Whether the run fails where it exceeds its limits."""
    limits: tuple[str, ...]
    """Limits as they were typed, besides those of the configuration: "syncs=0"."""
    page: Path | None
    verbose: bool
    lines_of: tuple[str, ...] = ()
    """Files whose lines are watched on a simulated device as the user's own are, by their real paths."""


_T = TypeVar("_T")
_Options = TypeVar("_Options", bound="DataclassInstance")


def options_of(kind: type[_Options], typed: argparse.Namespace, **others: object) -> _Options:
    """What argparse keeps under the names of the fields of `kind`; `others` come first."""
    kept = {field.name: getattr(typed, field.name) for field in fields(kind) if field.name in typed}
    return kind(**{**kept, **others})


def read_options(arguments: Sequence[str]) -> Options:
    """What was typed. Raises UsageError, or SystemExit as argparse does."""
    parser = probe_parser()
    typed = parser.parse_args(list(arguments))
    words = words_of(typed, parser)
    _check(typed, words)
    ran = typed.trace is None
    return options_of(
        Options,
        typed,
        script=words[0] if ran else None,
        arguments=tuple(words[1:]) if ran else (),
        paths=() if ran else tuple(map(Path, words)),
        device=typed.device if typed.values or typed.device != "auto" else "simulated",
        budget=typed.budget or bool(typed.limits),
        limits=tuple(typed.limits),
    )


def _check(typed: argparse.Namespace, words: Sequence[str]) -> None:
    """Raise UsageError for options that do not go together."""
    if typed.trace is None and not words:
        raise UsageError("name the script that trains, as in `trainlint probe train.py`, or a trace with --trace")
    if typed.trace is not None and typed.module:
        raise UsageError("--trace judges what has been recorded; leave out -m, which runs a script")
    if typed.trace is not None and (typed.budget or typed.limits):
        raise UsageError("--budget counts while a script runs, which a trace cannot do; leave out --trace")
    if not typed.values and typed.device in ("cpu", "cuda"):
        raise UsageError("--no-values is for a simulated GPU; leave out --device, or name one as in --device simulated")


def probe_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint probe`."""
    parser = Parser(
        "trainlint probe",
        usage="trainlint probe [options] SCRIPT [ARGUMENT ...]\n"
        "       trainlint probe [options] -m MODULE [ARGUMENT ...]\n"
        "       trainlint probe [options] --trace TRACE [PATH ...]",
        description="Run a training for a few steps, or read a trace of one, and say what each finding "
        f"costs. {BEHIND_SCRIPT} Your files stay as they are: what the script saves goes to a temporary directory.",
        epilog=PROBE_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    run = parser.add_argument_group("the run")
    add_run(run, steps="measure (default: 30, simulated 20)", warmup="(default: 10, simulated 3)")
    run.add_argument(
        "--no-values",
        dest="values",
        action="store_false",
        help="count without computing values, for models that no CPU can hold or train",
    )
    deep = run.add_mutually_exclusive_group()
    deep.add_argument(
        "--deep",
        action="store_true",
        default=None,
        help="look at a few more steps with PyTorch's profiler (default: where there is an accelerator)",
    )
    deep.add_argument("--no-deep", dest="deep", action="store_false", help="never do so")
    budget = parser.add_argument_group("a budget, for CI")
    budget.add_argument(
        "--budget",
        action="store_true",
        help="exit with 1 where a step does more than [tool.trainlint.budget] allows, and else with 0",
    )
    budget.add_argument(
        "--limit",
        dest="limits",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help=f"a limit besides those of the configuration, per step: {', '.join(LIMITS)}",
    )
    trace = parser.add_argument_group("what was recorded before")
    trace.add_argument(
        "--trace", type=Path, help="judge this trace of torch.profiler (.json, .json.gz), or a directory of ranks"
    )
    output = add_output(parser)
    output.add_argument("--page", type=Path, metavar="FILE", help="write the whole report as a page (HTML) as well")
    output.add_argument("-v", "--verbose", action="store_true", help="say of each finding what was seen of it")
    return parser


def words_of(typed: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    """The script and its arguments. `probe train.py -- --lr 1` and `probe train.py --lr 1` mean the same.

    Says on stderr which options of trainlint the script gets because they stand behind it.
    """
    words: list[str] = typed.words
    places = [index for index in (0, 1) if words[index : index + 1] == ["--"]]
    if not places and words and not typed.module:
        _tell_of_late_options(words, parser)
    return [word for index, word in enumerate(words) if index not in places[:1]]


def _tell_of_late_options(words: Sequence[str], parser: argparse.ArgumentParser) -> None:
    """Name the options behind a script that trainlint has and the script's text does not speak of."""
    own = {
        name
        for action in parser._actions  # noqa: SLF001 - no public list
        if not isinstance(action, argparse._HelpAction)  # noqa: SLF001 - `train.py --help` is asked of the script
        for name in action.option_strings
    }
    named = (word.partition("=")[0] for word in words[1:])
    late = [name for name in dict.fromkeys(named) if name in own]
    if not late:
        return
    try:
        text = read_bounded(Path(words[0]), SOURCE_BYTES).decode("utf-8", "replace")
    except OSError:
        return  # that there is no such script is said elsewhere
    meant = [name for name in late if not _speaks_of(text, name)]
    if meant:
        console.note(
            f"note: {words[0]} gets {' and '.join(meant)}, which stands behind it. If trainlint is meant, write "
            f"`{parser.prog} {meant[0]} ... {words[0]}`."
        )


def _speaks_of(text: str, option: str) -> bool:
    """Whether a script's text names an option: a short one as a string, a long one also as the name of a variable."""
    if not option.startswith("--"):
        return f'"{option}"' in text or f"'{option}'" in text
    return option in text or option.removeprefix("--").replace("-", "_") in text


BEHIND_SCRIPT = "Options behind SCRIPT go to the script."


def doctor_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint doctor`."""
    parser = Parser(
        "trainlint doctor",
        description="Show what a training finds on this machine (PyTorch, devices, driver, settings), and "
        "what is wrong with it.",
        epilog="Exit codes: 0 nothing is off; 1 something is; 2 the machine could not be asked.",
        allow_abbrev=False,
    )
    add_format(parser)
    add_color(parser)
    return parser


def add_run(run: argparse._ActionsContainer, *, steps: str, warmup: str) -> None:
    """Add what says how a script is run. `steps` and `warmup` end the sentences of these options."""
    run.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module's name, as after `python -m`")
    run.add_argument("--steps", type=count, metavar="N", help=f"steps to {steps}")
    run.add_argument("--warmup", type=count, metavar="N", help=f"steps before {warmup}")
    run.add_argument(
        "--timeout", type=seconds, default=600.0, metavar="SECONDS", help="give a run up after so long (default: 600)"
    )
    run.add_argument(
        "--device",
        type=checked(device),
        default="auto",
        metavar="DEVICE",
        help="auto, cuda, cpu, or simulated[:NAME][xN], as simulated:a100-80gbx4 (default: auto, a GPU if there is "
        "one, else simulated:h100)",
    )
    run.add_argument(
        "--nproc-per-node",
        dest="processes",
        type=count,
        default=1,
        metavar="N",
        help="start N processes with torch's own launcher",
    )
    overlay = run.add_mutually_exclusive_group()
    overlay.add_argument(
        "--overlay",
        action="store_true",
        default=None,
        help="run on an overlay, so that no file of your project changes, or not at all (default: where it works)",
    )
    overlay.add_argument("--no-overlay", dest="overlay", action="store_false", help="run on the files themselves")


def add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add what says how a report is written."""
    output = parser.add_argument_group("output")
    add_format(output)
    output.add_argument("-o", "--output-file", type=Path, metavar="FILE", help="write the report there, not to stdout")
    add_color(output)
    return output


def add_format(parser: argparse._ActionsContainer) -> None:
    """Add --output-format."""
    parser.add_argument(
        "--output-format",
        type=one_of(("text", "json")),
        default="text",
        metavar="FORMAT",
        help="text, json (default: text)",
    )


def device(text: str) -> str:
    """A device by its name. Raises ValueError."""
    if text in ("auto", "cuda", "cpu"):
        return text
    if text.partition(":")[0] != "simulated":
        raise ValueError(f"expected auto, cuda, cpu or simulated, not {text!r}")
    from trainlint_probe.simulated.names import machine_named

    machine_named(text)
    return text


def checked(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """A reader whose ValueError argparse shows as it is written."""

    def reader(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return reader


def count(text: str) -> int:
    """A whole number from 1 on. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) < 1 << 31:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def above_zero(what: str, most: float = inf) -> Callable[[str], float]:
    """What takes a number above 0 and up to `most`; `what` names it in the error, an ArgumentTypeError."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number <= most:
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}")
        return number

    return read


seconds = above_zero("a number of seconds")
