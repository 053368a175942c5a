"""All that a run or a trace tells, in one: a verdict on each finding, and what only a run shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trainlint.catalogue import installed_rules
from trainlint.engine.configurations import Configurations
from trainlint.evidence.run import Run
from trainlint.evidence.verdicts import State, Verdict
from trainlint.finding import Finding, Report
from trainlint.rule import Rule
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.counted import counted_verdict
from trainlint_probe.judgement.same_line import related
from trainlint_probe.judgement.silenced import without_silenced
from trainlint_probe.judgement.static import Static
from trainlint_probe.judgement.verdicts import verdict
from trainlint_probe.result import Ignored, Unjudged


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What is said, and what is not."""

    verdicts: tuple[Verdict, ...]
    unjudged: Unjudged


def confirm_findings(
    static: Static, run: Run, of_run: Sequence[Verdict], configurations: Configurations
) -> Confirmation:
    """What there is to say of some files and a run of them; `of_run` is what only a run shows."""
    symptoms = _symptoms_by_code()
    kept = without_silenced(of_run, configurations)
    report, ignored = static.report, kept.ignored
    judged = [
        (finding, said)
        for finding, said in zip(report.findings, _verdicts_on(report, run), strict=True)
        if finding not in static.in_preview or _is_measured(said)
    ]
    findings, verdicts = [finding for finding, _ in judged], [said for _, said in judged]
    ignored = Ignored(report.suppressed + ignored.by_comments, ignored.by_configuration)
    return Confirmation(
        (*related(kept.verdicts, findings, verdicts, symptoms), *verdicts),
        Unjudged(report.failures, static.left_out, ignored),
    )


def _verdicts_on(report: Report, run: Run) -> tuple[Verdict, ...]:
    """What a run says of each finding, in the findings' order."""
    rules = {rule.code: rule for rule in installed_rules()}
    verdicts = (_verdict_on(finding, rules[finding.code].loaded(), run) for finding in report.findings)
    return tuple(_with_fix(said, finding) for said, finding in zip(verdicts, report.findings, strict=True))


def _is_measured(said: Verdict) -> bool:
    """Whether the run itself shows what a preview rule says, however precise the rule is on code alone."""
    return said.cost is not None or said.state is State.CONFIRMED


def _verdict_on(finding: Finding, rule: type[Rule], run: Run) -> Verdict:
    if run.simulated is not None:
        return counted_verdict(finding, rule.confirmed_by, run)
    return verdict(
        finding,
        rule.confirmed_by,
        run,
        warned_as=rule.warned_as,
        in_part=rule.confirmed_in_part,
    )


def _symptoms_by_code() -> dict[str, frozenset[Symptom]]:
    """What each installed rule's pattern shows itself by."""
    return {rule.code: rule.loaded().confirmed_by for rule in installed_rules()}


def _with_fix(said: Verdict, finding: Finding) -> Verdict:
    return replace(said, fix=finding.fix.safety.label) if finding.fix else said
