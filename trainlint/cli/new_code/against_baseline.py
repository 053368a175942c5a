"""The findings of a run against the baselines that hold for its files."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.baseline.file import UnusableBaseline, read_baseline
from trainlint.baseline.identity import Identities
from trainlint.baseline.matching import Entry, Matched, match
from trainlint.cli.console import UsageError
from trainlint.finding import Compared, GoneFinding
from trainlint.paths import shown_path

if TYPE_CHECKING:
    from trainlint.cli.new_code.judged import JudgedFiles
    from trainlint.finding import Finding, Report
    from trainlint.report import Sources


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Findings beside one baseline."""

    findings: tuple[Finding, ...]
    entries: tuple[Entry, ...]
    """What each of the findings is as an entry."""
    matched: Matched
    gone: tuple[Entry, ...]
    """The entries about what was judged, behind which no finding stands any more."""


def usable_baselines(names: Sequence[str]) -> dict[str, tuple[Entry, ...]]:
    """The entries of each baseline, by its absolute path. Raises UsageError where one cannot be used."""
    try:
        return {name: read_baseline(name, shown_path(name, Path.cwd())) for name in names}
    except UnusableBaseline as error:
        raise UsageError(str(error)) from error


def compare_with_baseline(
    findings: Sequence[Finding], known: Sequence[Entry], files: JudgedFiles, report: Report, sources: Sources
) -> BaselineComparison:
    """Compare findings with the entries of one baseline."""
    identities = Identities(sources)
    entries = tuple(
        Entry(files.path(finding.path), identities.of(finding), identities.id_of(finding)) for finding in findings
    )
    failed = {failure.path for failure in report.failures}
    judged = {str(path) for shown, path in files.paths.items() if shown not in failed}
    matched = match(entries, known, lambda path: path in judged or not os.path.lexists(path))
    gone = tuple(entry for entry in matched.left if _is_gone(entry, judged, files))
    return BaselineComparison(tuple(findings), entries, matched, gone)


def _is_gone(entry: Entry, judged: set[str], files: JudgedFiles) -> bool:
    """Whether the run has shown that the finding of an entry, which it did not find, is gone."""
    if entry.path in judged:
        return entry.identity.code in files.codes_for(entry.path)
    return not os.path.lexists(entry.path) and files.were_searched(entry.path)


def compared(
    report: Report, baselines: Mapping[str, tuple[Entry, ...]], files: JudgedFiles, sources: Sources
) -> Report:
    """The report with its new findings alone."""
    by_baseline: defaultdict[str | None, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        by_baseline[files.baseline_of(files.path(finding.path))].append(finding)
    known: set[int] = set()
    gone: list[GoneFinding] = []
    for name, entries in baselines.items():
        found = compare_with_baseline(by_baseline[name], entries, files, report, sources)
        known |= {
            id(finding)
            for finding, entry in zip(found.findings, found.matched.entry_of, strict=True)
            if entry is not None
        }
        gone += [gone_finding(entry) for entry in found.gone if files.baseline_of(entry.path) == name]
    here = Path.cwd()
    return replace(
        report,
        findings=tuple(finding for finding in report.findings if id(finding) not in known),
        compared=Compared(
            baselines=tuple(shown_path(name, here) for name in baselines),
            known=tuple(finding for finding in report.findings if id(finding) in known),
            gone=tuple(gone),
        ),
    )


def gone_finding(entry: Entry) -> GoneFinding:
    """An entry as reports show it."""
    identity = entry.identity
    return GoneFinding(shown_path(entry.path, Path.cwd()), identity.code, identity.function, identity.line, entry.id)
