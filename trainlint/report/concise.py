"""One line a finding, as editors and `grep` read it: `path:line:column: CODE message [fix]`."""

from __future__ import annotations

from trainlint.finding import Report
from trainlint.handbook import FIX_FLAGS
from trainlint.report.characters import sentence
from trainlint.report.settings import Settings
from trainlint.report.words import failure_sentence, summary


def render(report: Report, *, settings: Settings) -> str:
    """The findings, then the failures, then a line of counts. The flag in brackets applies the finding's fix."""
    lines = []
    for finding in report.findings:
        fix = f" [{FIX_FLAGS[finding.fix.safety]}]" if finding.fix else ""
        place = f"{finding.path}:{finding.span.start_line}:{finding.span.start_column}"
        lines.append(f"{place}: {finding.code} {finding.message}{fix}")
    lines += map(failure_sentence, report.failures)
    if settings.summary:
        lines.append(summary(report))
    return "".join(f"{sentence(line, unicode=settings.style.unicode)}\n" for line in lines)
