"""`python -m benchmarks.speed CLONE...`: how fast trainlint is, beside other linters and the least they all must do."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed import page, results
from benchmarks.speed.measure import Failed
from benchmarks.speed.rounds import Differs, Rules
from benchmarks.speed.run import Plan, measure
from benchmarks.speed.trees import NothingToMeasure


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, keep, and print or write the page.

    Returns 0; 1 where two runs of trainlint do not report the same; 2 where the figures cannot be had.
    """
    arguments = _arguments(argv)
    try:
        found = _measured(arguments) if arguments.clones else results.read(arguments.out)
    except Differs as error:
        sys.stderr.write(f"speed: {error}\n")
        return 1
    except (NothingToMeasure, Failed) as error:
        sys.stderr.write(f"speed: {error}\n")
        return 2
    except (OSError, KeyError, TypeError, ValueError) as error:
        if arguments.clones:
            raise
        sys.stderr.write(f"speed: {arguments.out} holds no results to be read ({error}); name clones to measure\n")
        return 2
    if arguments.page is None:
        sys.stdout.write(page.as_text(found))
    else:
        page.write(found, arguments.page)
    return 0


def _measured(arguments: argparse.Namespace) -> results.Results:
    start = time.perf_counter()

    def tell(words: str) -> None:
        sys.stderr.write(f"{time.perf_counter() - start:6.0f} s  {words}\n")

    def keep(found: results.Results) -> None:
        if arguments.out is not None:
            results.write(found, arguments.out)

    plan = Plan(
        clones=tuple(clone.resolve() for clone in arguments.clones),
        rules=Rules(arguments.repeat, arguments.patience, arguments.time_limit),
        environments=tuple(environment.absolute() for environment in arguments.peers),
        sample_lines=arguments.sample_lines,
        sizes=tuple(arguments.sizes),
        growth_from=tuple(arguments.grow),
        versions=tuple(tuple(words.split("=", 1)) for words in arguments.at),
    )
    found = measure(plan, tell, keep)
    keep(found)
    # As they are kept, so that a page made of what was kept is the same.
    return results.from_json(results.as_json(found))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument(
        "clones",
        nargs="*",
        type=Path,
        metavar="CLONE",
        help="directories to measure on; none: read --out, measure nothing",
    )
    parser.add_argument("--repeat", type=_count, default=3, metavar="N", help="rounds (default: %(default)s)")
    parser.add_argument(
        "--peers",
        type=Path,
        action="append",
        default=[],
        metavar="VENV",
        help="look here for other linters, before PATH",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the results in this JSON file")
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="write the generated parts of this page and its pictures; else print them",
    )
    parser.add_argument(
        "--sample-lines",
        type=_count,
        default=10_000,
        metavar="N",
        help="who is slow judges so many lines of a larger repository (default: %(default)s)",
    )
    parser.add_argument(
        "--time-limit", type=float, default=300, metavar="SECONDS", help="end a single run then (default: %(default)s)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=60,
        metavar="SECONDS",
        help="do not repeat what took so long on one tree; a quarter of it for who is slow (default: %(default)s)",
    )
    parser.add_argument(
        "--sizes",
        type=_count,
        nargs="*",
        default=[],
        metavar="N",
        help="also measure trees of so many files, made of copies",
    )
    parser.add_argument(
        "--grow",
        action="append",
        default=[],
        metavar="NAME",
        help="take the files for --sizes from this clone (default: all)",
    )
    parser.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="NAME=VERSION",
        type=_named,
        help="what the page says of a clone's version",
    )
    arguments = parser.parse_args(argv)
    if not arguments.clones and arguments.out is None:
        parser.error("name clones to measure, or with --out the results to read")
    for clone in arguments.clones:
        if not clone.is_dir():
            parser.error(f"{clone} is no directory")
    names = [clone.resolve().name for clone in arguments.clones]
    if len(set(names)) < len(names):
        parser.error("two clones have the same name, by which the page tells them apart")
    unknown = [name for name in arguments.grow if name not in names]
    if arguments.clones and unknown:
        parser.error(f"--grow {unknown[0]}: no such clone; there are {', '.join(names)}")
    if not hasattr(os, "fork"):
        parser.error("CPU time of all processes of a run is known on Unix alone")
    return arguments


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, not {text!r}")
    return int(text)


def _named(text: str) -> str:
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"expected NAME=VERSION, not {text!r}")
    return text


if __name__ == "__main__":
    sys.exit(main())
