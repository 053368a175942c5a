"""`python -m benchmarks.accuracy --labels DIR --clones DIR`: prints how often trainlint is right on labelled code."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.accuracy.labels import BadLabels, read_labels
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
        outcome = measure(arguments)
    except (BadLabels, CannotScore) as error:
        sys.stderr.write(f"accuracy: {error}\n")
        return 2

    def text_of(repo: str, path: str, line: int) -> str:
        return line_text(clone_of(arguments.clones, repo) / path, line) or ""

    sys.stdout.write(as_text(outcome, text_of, markdown=arguments.markdown, misses=arguments.misses))
    if arguments.json is not None:
        data = json.dumps(as_data(outcome, text_of), indent=1, ensure_ascii=False)
        arguments.json.write_text(data + "\n", encoding="utf-8")
    return 0


def measure(arguments: argparse.Namespace) -> Outcome:
    """Run trainlint on everything that is labelled and score it.

    Raises BadLabels or CannotScore where the figures would not be what they claim to be.
    """
    label_set = read_labels(arguments.labels)
    require_clones(label_set, arguments.clones)
    options = () if arguments.min_confidence is None else ("--min-confidence", str(arguments.min_confidence))
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
    parser.add_argument("--min-confidence", type=float, metavar="X", help="passed to trainlint (default: its own)")
    parser.add_argument("--preview", action="store_true", help="passed to trainlint: preview rules as well")
    parser.add_argument("--low-confidence", action="store_true", help="count labels of low confidence too")
    parser.add_argument("--misses", action="store_true", help="list each miss, look-alike hit and false alarm")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything to FILE as JSON")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
