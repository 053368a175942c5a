"""First-contact rounds, step by step: `python -m benchmarks.accuracy.rounds COMMAND --help`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benchmarks.accuracy.json_files import BadFile
from benchmarks.accuracy.labels import read_labels
from benchmarks.accuracy.report import Outcome
from benchmarks.accuracy.report import as_text as outcome_text
from benchmarks.accuracy.rounds import draw, pooled, reading_form, sheet
from benchmarks.accuracy.rounds.agreement import pairs, read_figures, read_form
from benchmarks.accuracy.rounds.label_check import mistakes
from benchmarks.accuracy.rounds.record import ROUNDS, Round, add_round, read_rounds, used
from benchmarks.accuracy.rounds.report import MARKER, blind_figures, blind_text, readings_text, rounds_table
from benchmarks.accuracy.rounds.runs import read_runs, score_runs
from benchmarks.accuracy.rounds.skeleton import skeleton
from benchmarks.accuracy.run import CannotScore, clone_of, line_text, require_clones
from benchmarks.accuracy.score import recall_at_findings
from benchmarks.accuracy.vocabulary import ISSUES_OF_RULE, covered_issues
from benchmarks.markers import between_markers
from trainlint.finding import Confidence

PAGE = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one step. Returns 0; 1 where labels have mistakes or the page is stale; 2 where the step cannot be done."""
    arguments = _arguments(argv)
    try:
        code: int = arguments.run(arguments)
    except (BadFile, CannotScore, ValueError, OSError) as error:
        sys.stderr.write(f"rounds: {error}\n")
        return 2
    return code


def _draw(arguments: argparse.Namespace) -> int:
    left_out = (
        *used(read_rounds(arguments.rounds)),
        *draw.used_otherwise(arguments.rounds.parent),
        *arguments.leave_out,
    )
    repos = draw.drawn(draw.read_pool(arguments.pool), left_out, count=arguments.count, seed=arguments.seed)
    sys.stdout.write(draw.as_text(repos, count=arguments.count, seed=arguments.seed))
    return 0


def _sheet(arguments: argparse.Namespace) -> int:
    if not arguments.places:
        sys.stdout.write(sheet.as_text(sheet.facts_of_clone(arguments.clone)))
    for place in arguments.places:
        path, colon, line = place.rpartition(":")
        if not (colon and line.isdecimal() and int(line)):
            raise ValueError(f"{place} is no PATH:LINE")
        sys.stdout.write(json.dumps(skeleton(arguments.clone, arguments.repo, path, int(line))) + "\n")
    return 0


def _check_labels(arguments: argparse.Namespace) -> int:
    found = mistakes(arguments.labels, arguments.clones)
    sys.stdout.write("".join(f"{mistake}\n" for mistake in found) or "The labels can be scored.\n")
    return 1 if found else 0


def _readings(arguments: argparse.Namespace) -> int:
    label_set = read_labels(arguments.labels, mended=False)
    require_clones(label_set, arguments.clones)
    below = arguments.below_default
    repos = [repo for repo, _ in label_set.commits]
    findings = read_runs(repos, arguments.clones, arguments.runs, all_levels=below).findings
    if below:
        findings = tuple(each for each in findings if each.flag.confidence < Confidence.LIKELY)
    chosen = reading_form.drawn(findings, count=arguments.count, seed=arguments.seed)
    form = reading_form.form(findings, chosen, arguments.clones, seed=arguments.seed)
    # "x": a form that somebody has filled in is never written over.
    with arguments.out.open("x", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(form, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{arguments.out}: {len(chosen)} of {len(findings)} findings. Give each reader a copy.\n")
    return 0


def _merge_readings(arguments: argparse.Namespace) -> int:
    first, second = map(read_form, arguments.forms)
    sys.stdout.write(readings_text(pairs(first, second), dict(first.found)))
    return 0


def _score_round(arguments: argparse.Namespace) -> int:
    label_set = read_labels(arguments.labels, mended=False)
    require_clones(label_set, arguments.clones)
    runs = read_runs([repo for repo, _ in label_set.commits], arguments.clones, arguments.runs)
    scored = score_runs(label_set, runs)
    blind = blind_figures(scored)
    sys.stdout.write(blind_text(blind, recall_at_findings(scored)))
    below = pairs(*map(read_form, arguments.below)) if arguments.below else ()
    read = read_figures(pairs(*map(read_form, arguments.forms)), below) if arguments.forms else None
    if arguments.misses:
        outcome = Outcome(
            score=scored,
            covered=covered_issues(ISSUES_OF_RULE),
            unscored=Counter(each.flag.code for each in runs.findings if not each.flag.issues),
        )

        def text_of(repo: str, path: str, line: int) -> str:
            return line_text(clone_of(arguments.clones, repo) / path, line) or ""

        sys.stdout.write("\n" + outcome_text(outcome, text_of, misses=True))
    for repo, path, reason in runs.not_judged:
        sys.stdout.write(f"\nNot judged: {repo} {path}: {reason}\n")
    if arguments.record:
        missing = [name for name in ("date", "commit", "seed") if getattr(arguments, name) is None]
        if missing:
            raise ValueError(f"--record also needs {', '.join(f'--{name}' for name in missing)}")
        new = Round(arguments.date, arguments.commit, arguments.seed, label_set.commits, blind, read)
        add_round(arguments.rounds, new)
    return 0


def _page(arguments: argparse.Namespace) -> int:
    now = arguments.page.read_text(encoding="utf-8")
    rounds = read_rounds(arguments.rounds)
    fresh = between_markers(now, MARKER, rounds_table(rounds))
    fresh = between_markers(fresh, pooled.LEVELS, pooled.levels_table(rounds))
    fresh = between_markers(fresh, pooled.RULES, pooled.rules_table(rounds, pooled.judging_rules()))
    if arguments.check and fresh != now:
        sys.stdout.write(f"{arguments.page.name} is stale: run `python -m benchmarks.accuracy.rounds page`\n")
        return 1
    if not arguments.check:
        arguments.page.write_text(fresh, encoding="utf-8", newline="\n")
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.rounds", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    step = commands.add_parser("draw", help="draw repositories from a pool and print what to clone")
    step.set_defaults(run=_draw)
    step.add_argument("--pool", type=Path, required=True, metavar="FILE", help='JSON with "repos": ["owner/name", ...]')
    step.add_argument("--seed", type=int, required=True, metavar="N", help="of the draw")
    step.add_argument("--count", type=int, default=5, metavar="N", help="how many (default: 5)")
    step.add_argument(
        "--leave-out", action="append", default=[], metavar="OWNER/NAME", help="besides those of earlier rounds"
    )
    _add_rounds(step)

    step = commands.add_parser("sheet", help="say where to look in a clone, or start the label of a line")
    step.set_defaults(run=_sheet)
    step.add_argument("--clone", type=Path, required=True, metavar="DIR", help="the clone")
    step.add_argument("--repo", required=True, metavar="OWNER/NAME", help="the repository that it is a clone of")
    step.add_argument("places", nargs="*", metavar="PATH:LINE", help="print the start of a label for each of these")

    step = commands.add_parser("check-labels", help="look a set of blind labels over")
    step.set_defaults(run=_check_labels)
    _add_labels(step)

    step = commands.add_parser("readings", help="draw findings of the run into a form for two readers")
    step.set_defaults(run=_readings)
    _add_labels(step)
    _add_runs(step)
    step.add_argument("--seed", type=int, required=True, metavar="N", help="of the draw")
    step.add_argument("--count", type=int, default=60, metavar="N", help="how many at most (default: 60)")
    step.add_argument(
        "--below-default", action="store_true", help="only findings that are not shown by default (possible, unlikely)"
    )
    step.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the form is to be written")

    step = commands.add_parser("merge-readings", help="compare two filled forms")
    step.set_defaults(run=_merge_readings)
    step.add_argument("forms", nargs=2, type=Path, metavar="FORM", help="a filled form")

    step = commands.add_parser("score-round", help="score the run against the blind labels, and record the round")
    step.set_defaults(run=_score_round)
    _add_labels(step)
    _add_runs(step)
    step.add_argument("--forms", nargs=2, type=Path, metavar="FORM", help="the two filled reading forms")
    step.add_argument(
        "--below", nargs=2, type=Path, metavar="FORM", help="two filled forms about findings below the default level"
    )
    step.add_argument("--misses", action="store_true", help="list each miss, look-alike hit and false alarm")
    step.add_argument("--record", action="store_true", help="add the round to the list of rounds")
    step.add_argument("--date", type=date.fromisoformat, metavar="YYYY-MM-DD", help="of the run, for --record")
    step.add_argument("--commit", metavar="SHA", help="of trainlint in the run, for --record")
    step.add_argument("--seed", type=int, metavar="N", help="with which the repositories were drawn, for --record")
    _add_rounds(step)

    step = commands.add_parser("page", help="write the table of rounds into docs/accuracy.md")
    step.set_defaults(run=_page)
    step.add_argument("--check", action="store_true", help="write nothing; exit with 1 where the page is stale")
    step.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/accuracy.md")
    _add_rounds(step)
    return parser.parse_args(argv)


def _add_labels(step: argparse.ArgumentParser) -> None:
    step.add_argument("--labels", type=Path, required=True, metavar="DIR", help="the label set of the round")
    step.add_argument("--clones", type=Path, required=True, metavar="DIR", help="where the clones lie")


def _add_runs(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--runs", type=Path, required=True, metavar="DIR", help="trainlint's JSON reports, NAME.json for each clone"
    )


def _add_rounds(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--rounds", type=Path, default=ROUNDS, metavar="FILE", help="default: benchmarks/accuracy/rounds.json"
    )


if __name__ == "__main__":
    sys.exit(main())
