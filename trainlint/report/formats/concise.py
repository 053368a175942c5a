"""One line a finding, as editors and `grep` read it: `path:line:column: CODE message [fix] [measured: ...]`."""

from __future__ import annotations

from trainlint.finding import Finding, Report
from trainlint.handbook import FIX_FLAGS
from trainlint.report.characters import sentence
from trainlint.report.measured import by_cost, measured_note, stale_sentences
from trainlint.report.settings import Settings
from trainlint.report.words import failure_sentence, place_text, summary


def render(report: Report, *, settings: Settings, **_unused: object) -> str:
    """The findings, then the failures, then a line of counts. The flag in brackets applies the finding's fix.

    With evidence, what is confirmed comes first, and what is refuted last.
    """
    lines = []
    for finding in by_cost(report):
        fix = f" [{FIX_FLAGS[finding.fix.safety]}]" if finding.fix else ""
        at = place_text(finding.path, finding.span.start_line, finding.span.start_column, finding.cell)
        lines.append(f"{at}: {finding.code} {finding.sentence}{fix}{_measured(report, finding)}")
    lines += (said for _, said in stale_sentences(report))
    lines += map(failure_sentence, report.failures)
    if settings.summary:
        lines.append(summary(report))
    return "".join(f"{sentence(line, unicode=settings.style.unicode)}\n" for line in lines)


def _measured(report: Report, finding: Finding) -> str:
    note = measured_note(report, finding)
    return f" [measured: {note}]" if note else ""
