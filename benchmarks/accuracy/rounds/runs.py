"""Reads the reports of the one run of trainlint on the clones of a round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.accuracy.json_files import read_json
from benchmarks.accuracy.labels import LabelSet, Verdict
from benchmarks.accuracy.run import CannotScore, clone_of, read_report
from benchmarks.accuracy.score import Flag, Score, score
from trainlint.bounded import leads_out
from trainlint.finding import Confidence

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reported:
    """One finding of a run, with what a reader is to judge."""

    flag: Flag
    help: str
    fix: Mapping[str, object]
    """As in the JSON report; empty where there is none."""
    chain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """What the one run said of all repositories of a round."""

    findings: tuple[Reported, ...]
    not_judged: tuple[tuple[str, str, str], ...]
    """Repository, path and reason of each file that could not be judged wholly."""


def read_runs(repos: Iterable[str], clones: Path, runs: Path, *, all_levels: bool = False) -> Runs:
    """Read RUNS/NAME.json for each repository, NAME being the last part of its name.

    `all_levels` is for runs with `--min-confidence unlikely`.

    Raises BadFile or CannotScore where a report is missing, is no report on that clone, or shows more than trainlint
    does by default.
    """
    findings: list[Reported] = []
    not_judged = []
    for repo in repos:
        clone = clone_of(clones, repo)
        report = read_json(runs / f"{clone.name}.json")
        checked = read_report(repo, clone, report)
        assert isinstance(report, dict), "read_report has refused everything else"
        findings += map(_reported, checked.flags, report["findings"])
        not_judged += [(repo, path, reason) for path, reason in checked.not_judged]
        _require_this_clone(clone, checked.flags, Confidence.UNLIKELY if all_levels else Confidence.LIKELY)
    return Runs(tuple(findings), tuple(not_judged))


def score_runs(label_set: LabelSet, runs: Runs, *, low_confidence: bool = False) -> Score:
    """The score of a run. Defects in files that it could not judge are missed; look-alikes there count as none."""
    unread = {(repo, path) for repo, path, _ in runs.not_judged}
    labels = tuple(
        label for label in label_set.labels if label.verdict is Verdict.DEFECT or (label.repo, label.path) not in unread
    )
    flags = [finding.flag for finding in runs.findings]
    return score(replace(label_set, labels=labels), flags, low_confidence=low_confidence)


def _reported(flag: Flag, finding: Mapping[str, object]) -> Reported:
    fix, chain = finding.get("fix"), finding.get("chain")
    return Reported(
        flag=flag,
        help=str(finding.get("help") or ""),
        fix=fix if isinstance(fix, dict) else {},
        chain=tuple(map(str, chain)) if isinstance(chain, list) else (),
    )


def _require_this_clone(clone: Path, flags: Iterable[Flag], least: Confidence) -> None:
    for flag in flags:
        if leads_out(clone / flag.path, clone) or not (clone / flag.path).is_file():
            raise CannotScore(
                f"the run on {clone} names {flag.path}, which is not in it; start trainlint in the clone itself, "
                "or here with the clone's path"
            )
        if flag.confidence < least:
            raise CannotScore(
                f"the run on {clone} shows a finding that is {flag.confidence.label} ({flag.code}, {flag.path}:"
                f"{flag.line}); a round counts what users see by default, so run trainlint without options"
            )
