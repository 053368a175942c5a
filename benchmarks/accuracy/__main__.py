"""`python -m benchmarks.accuracy --labels DIR --clones DIR`: prints how often trainlint is right on labelled code."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from benchmarks.accuracy import reliability_report
from benchmarks.accuracy.history import commit_of, history_line
from benchmarks.accuracy.json_files import BadFile
from benchmarks.accuracy.labels import read_labels
from benchmarks.accuracy.reliability import from_each_level, judged_flags
from benchmarks.accuracy.report import Outcome, as_data, as_text
from benchmarks.accuracy.run import (
    CannotScore,
    Trainlint,
    check_clones,
    check_mended,
    clone_of,
    line_text,
    require_clones,
)
from benchmarks.accuracy.score import score
from benchmarks.accuracy.vocabulary import covered_issues


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures. Returns 0, or 2 where they cannot be had."""
    arguments = _arguments(argv)
    try:
        text, data = _reliability(arguments) if arguments.reliability else _figures(arguments)
    except (BadFile, CannotScore) as error:
        sys.stderr.write(f"accuracy: {error}\n")
        return 2
    sys.stdout.write(text)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _figures(arguments: argparse.Namespace) -> tuple[str, dict[str, object]]:
    outcome = measure(arguments)

    def text_of(repo: str, path: str, line: int) -> str:
        return line_text(clone_of(arguments.clones, repo) / path, line) or ""

    if arguments.history_line:
        today = datetime.now().astimezone().date()
        text = history_line(outcome, commit_of(Path(__file__).parent), today) + "\n"
    else:
        text = as_text(outcome, text_of, markdown=arguments.markdown, misses=arguments.misses)
    return text, as_data(outcome, text_of)


def _reliability(arguments: argparse.Namespace) -> tuple[str, dict[str, object]]:
    found = measure_reliability(arguments)
    return reliability_report.as_text(found, markdown=arguments.markdown), reliability_report.as_data(found)


def measure_reliability(arguments: argparse.Namespace) -> reliability_report.Reliability:
    """Run trainlint with everything shown and compare what its findings state with what the labels say.

    Raises BadFile or CannotScore where the figures would not be what they claim to be.
    """
    label_set = read_labels(arguments.labels)
    require_clones(label_set, arguments.clones)
    trainlint = Trainlint(("--min-confidence", "unlikely", "--preview"))
    covered = covered_issues(trainlint.rules())
    flags = check_clones(trainlint, label_set, arguments.clones).flags
    return reliability_report.Reliability(
        judged=judged_flags(label_set, flags, low_confidence=arguments.low_confidence),
        from_levels=from_each_level(label_set, flags, covered, low_confidence=arguments.low_confidence),
    )


def measure(arguments: argparse.Namespace) -> Outcome:
    """Run trainlint on everything that is labelled and score it.

    Raises BadFile or CannotScore where the figures would not be what they claim to be.
    """
    label_set = read_labels(arguments.labels)
    require_clones(label_set, arguments.clones)
    options = () if arguments.min_confidence is None else ("--min-confidence", arguments.min_confidence)
    trainlint = Trainlint((*options, *(("--preview",) if arguments.preview else ())))
    covered = covered_issues(trainlint.rules())
    checked = check_clones(trainlint, label_set, arguments.clones)
    scored = score(label_set, checked.flags, low_confidence=arguments.low_confidence)
    return Outcome(
        score=replace(scored, mended=check_mended(trainlint, label_set, arguments.clones, arguments.fixes_cache)),
        covered=covered,
        unscored=Counter(flag.code for flag in checked.flags if not flag.issues),
        not_judged=checked.not_judged,
    )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--labels", type=Path, required=True, metavar="DIR", help="the label set")
    parser.add_argument("--clones", type=Path, required=True, metavar="DIR", help="where the clones lie")
    parser.add_argument(
        "--fixes-cache", type=Path, metavar="DIR", help="keep file versions of mended lines here for the next run"
    )
    parser.add_argument("--min-confidence", metavar="LEVEL", help="passed to trainlint (default: its own)")
    parser.add_argument("--preview", action="store_true", help="passed to trainlint: preview rules as well")
    parser.add_argument("--low-confidence", action="store_true", help="count labels of low confidence too")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--reliability",
        action="store_true",
        help="instead: how often is each level of confidence right? With every rule and every finding",
    )
    shown.add_argument(
        "--history-line", action="store_true", help="instead: the headline figures as one row of a Markdown table"
    )
    parser.add_argument("--misses", action="store_true", help="list each miss, look-alike hit and false alarm")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything to FILE as JSON")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
