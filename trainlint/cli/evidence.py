"""`trainlint check --evidence`: findings, and what a run of the training proved of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli.console import UsageError
from trainlint.engine.git import repository_of
from trainlint.evidence import State, Verdict
from trainlint.finding import Measured
from trainlint.records import replace
from trainlint.verdict_file import Evidence, UnusableEvidence, read_evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.engine.run import Run
    from trainlint.finding import Finding


def usable_evidence(path: Path) -> Evidence:
    """The evidence in a file. Raises UsageError where it is none, or about files that are not here."""
    try:
        evidence = read_evidence(path)
    except UnusableEvidence as error:
        raise UsageError(str(error)) from error
    start = _start(evidence)
    files = [_place(start, name) for name in evidence.judged.digests]
    if not files:
        raise UsageError(f"{path} is about no source file; name some after --trace, or the script that trains")
    if not any(map(os.path.exists, files)):
        raise UsageError(
            f"{path} is about {files[0]}, which is not there; start trainlint in the directory in which "
            "`trainlint probe` was started, or anywhere in the same git repository"
        )
    return evidence


def with_evidence(
    found: Run, evidence: Evidence, *, only_confirmed: bool, contents: Mapping[str, bytes] | None = None
) -> Run:
    """A run with what evidence says of its findings.

    A file of other bytes than those that were judged then has no evidence: its lines may be others.

    Args:
        found: the run.
        evidence: what to say of it.
        only_confirmed: whether no finding fails but those that the evidence confirms.
        contents: the bytes of what is not read from the disk, by the path that findings show.
    """
    here, start = Path.cwd(), _start(evidence)
    verdicts: dict[str, list[Verdict]] = {}
    for item in evidence.verdicts:
        verdicts.setdefault(_place(start, item.at.path), []).append(item)
    digests = {_place(start, name): digest for name, digest in evidence.judged.digests.items()}
    unchanged: dict[str, bool] = {}
    said: dict[Finding, Verdict] = {}
    for finding in found.report.findings:
        shown, place = finding.path, _place(here, finding.path)
        if place not in digests:
            continue
        if shown not in unchanged:
            unchanged[shown] = _digest(place, (contents or {}).get(shown)) == digests[place]
        verdict = _verdict_on(finding, verdicts.get(place, ())) if unchanged[shown] else None
        if verdict is not None:
            said[finding] = verdict
    stale = tuple(shown for shown, same in unchanged.items() if not same)
    report = replace(found.report, measured=Measured(evidence.file, evidence.run, said, stale))
    confirmed = any(verdict.state is State.CONFIRMED for verdict in said.values())
    return replace(found, report=report, failing=confirmed if only_confirmed else found.failing)


def _start(evidence: Evidence) -> Path:
    """Where the paths of the evidence start: the run may have been started elsewhere in the repository."""
    here = Path.cwd()
    directory, repository = evidence.judged.directory, repository_of(here)
    return here if directory is None or repository is None else repository / directory


def _place(start: Path, path: str) -> str:
    """The absolute path, links not followed."""
    return os.path.normpath(start / path)


def _verdict_on(finding: Finding, verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict on a finding: of its rule, in its lines, and where several are, the one that says what it says."""
    span = finding.span
    its = [one for one in verdicts if one.code == finding.code and span.start_line <= one.at.line <= span.end_line]
    return min(its, key=lambda one: (one.at.line != span.start_line, one.message != finding.message), default=None)


def _digest(place: str, content: bytes | None) -> str:
    """The SHA-256 of a file's bytes; empty where they can no longer be read."""
    try:
        data = Path(place).read_bytes() if content is None else content
    except OSError:
        return ""
    return hashlib.sha256(data).hexdigest()
