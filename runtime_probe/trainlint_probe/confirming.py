"""All findings of a report and a run: a verdict on each."""

from __future__ import annotations

from trainlint.catalogue import installed_rules
from trainlint.evidence import Run, Symptom, Verdict
from trainlint.finding import Report
from trainlint_probe.verdicts import verdict


def verdicts_on(report: Report, run: Run) -> tuple[Verdict, ...]:
    """What a run says of each finding, in the findings' order."""
    symptoms = symptoms_by_code()
    return tuple(verdict(finding, symptoms.get(finding.code, frozenset()), run) for finding in report.findings)


def symptoms_by_code() -> dict[str, frozenset[Symptom]]:
    """What each installed rule's pattern shows itself by."""
    return {rule.code: rule.loaded().confirmed_by for rule in installed_rules()}
