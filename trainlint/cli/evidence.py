"""`trainlint check --evidence`: findings, and what a run of the training proved of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.bounded import read_bounded
from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Failure, Measured
from trainlint.notebooks import most_bytes
from trainlint.paths import shown_path
from trainlint.report.characters import quoted
from trainlint.verdict_file import Evidence, UnusableEvidence, evidence_root, read_evidence

_MOST_NAMED = 3
"""Files that a sentence names."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.engine.run import Run
    from trainlint.finding import Finding


def usable_evidence(path: Path, *, only_confirmed: bool) -> Evidence:
    """The evidence in a file.

    Raises UsageError where it is none, or about files that are not here; and, where only what it confirms is to fail,
    where the run was cut short: what such a run does not confirm is not known to be cheap.
    """
    try:
        evidence = read_evidence(path)
    except UnusableEvidence as error:
        raise UsageError(str(error)) from error
    start = evidence_root(evidence.judged)
    files = [_place(start, name) for name in evidence.judged.digests]
    if not files:
        raise UsageError(f"{path} is about no source file; name some after --trace, or the script that trains")
    if not any(map(os.path.exists, files)):
        raise UsageError(
            f"{path} is about {files[0]}, which is not here; start trainlint where `trainlint probe` was "
            "started, or anywhere in the same git repository"
        )
    if only_confirmed and evidence.cut_short:
        raise UsageError(
            f"{path} is of a run that was cut short ({evidence.cut_short}): what it does not confirm may "
            "still cost time; run `trainlint probe` again, or leave out --fail-on confirmed"
        )
    return evidence


def with_evidence(
    found: Run, evidence: Evidence, *, only_confirmed: bool, contents: Mapping[str, bytes] | None = None
) -> Run:
    """A run with what evidence says of its findings.

    A file of other bytes than those that were judged then has no evidence: its lines may be others. Where only what is
    confirmed fails, that is a failure, as is a file that is gone: nothing passes because its evidence is old.

    Args:
        found: the run.
        evidence: what to say of it.
        only_confirmed: whether no finding fails but those that the evidence confirms.
        contents: the bytes of what is not read from the disk, by the path that findings show.
    """
    said, unchanged = _verdicts_on(found.report.findings, evidence, contents or {})
    if found.report.findings and not unchanged:
        console.note(_about_other_files(evidence))
    stale = tuple(shown for shown, same in unchanged.items() if not same)
    measured = Measured(evidence.file, evidence.run, said, stale, stale_fails=only_confirmed)
    report = replace(found.report, measured=measured)
    if not only_confirmed:
        return replace(found, report=report)
    failures = [
        *report.failures,
        *(Failure(shown, f"it has changed {_stale_clause(evidence)}") for shown in stale),
        *(
            Failure(shown, f"it is gone {_stale_clause(evidence)}")
            for shown in _missing_files(evidence, contents or {})
        ),
    ]
    failures.sort(key=lambda failure: (failure.path, failure.rule or "", failure.reason))
    confirmed = any(verdict.state is State.CONFIRMED for verdict in said.values())
    return replace(found, report=replace(report, failures=tuple(failures)), failing=confirmed)


def _verdicts_on(
    findings: Iterable[Finding], evidence: Evidence, contents: Mapping[str, bytes]
) -> tuple[dict[Finding, Verdict], dict[str, bool]]:
    """The verdicts on findings, and of each judged file that has findings whether it is as it was judged."""
    here, start = Path.cwd(), evidence_root(evidence.judged)
    verdicts: dict[str, list[Verdict]] = {}
    for item in evidence.verdicts:
        verdicts.setdefault(_place(start, item.at.path), []).append(item)
    digests = {_place(start, name): digest for name, digest in evidence.judged.digests.items()}
    unchanged: dict[str, bool] = {}
    said: dict[Finding, Verdict] = {}
    for finding in findings:
        shown, place = finding.path, _place(here, finding.path)
        if place not in digests:
            continue
        if shown not in unchanged:
            unchanged[shown] = _digest(place, contents.get(shown)) == digests[place]
        verdict = _verdict_on(finding, verdicts.get(place, ())) if unchanged[shown] else None
        if verdict is not None:
            said[finding] = verdict
    return said, unchanged


def _missing_files(evidence: Evidence, contents: Mapping[str, bytes]) -> Iterator[str]:
    """The judged files that are neither on the disk nor among `contents`, by the paths that findings show."""
    here, start = Path.cwd(), evidence_root(evidence.judged)
    given = {_place(here, shown) for shown in contents}
    places = dict.fromkeys(_place(start, name) for name in evidence.judged.digests)
    return (shown_path(place, here) for place in places if place not in given and not os.path.lexists(place))


def _about_other_files(evidence: Evidence) -> str:
    """That evidence is of another script, or of other files of it, than those with findings."""
    files = [quoted(path) for path in evidence.judged.digests]
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    return (
        f"note: {quoted(evidence.file)} says nothing of these findings: it is of another run ({evidence.run}), and "
        f"about {', '.join(files[:_MOST_NAMED])}{more}"
    )


def _stale_clause(evidence: Evidence) -> str:
    return f"since {evidence.file} was written, so what it costs is not known; run `trainlint probe` again"


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
        data = read_bounded(place, most_bytes(str(place))) if content is None else content
    except OSError:
        return ""
    return hashlib.sha256(data).hexdigest()
