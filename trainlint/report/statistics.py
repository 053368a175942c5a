"""`--statistics`: how often each rule was broken, most often first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from trainlint.finding import Finding, Report
from trainlint.report.characters import sentence
from trainlint.report.settings import Settings
from trainlint.report.words import failure_sentence, fixable, summary


def render(report: Report, *, settings: Settings) -> str:
    """A table of count, code, name and how many can be fixed; then the failures and a line of counts."""
    groups: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        groups[finding.code].append(finding)
    ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    number = max((len(str(len(members))) for members in groups.values()), default=0)
    code = max(map(len, groups), default=0)
    name = max((len(members[0].name) for members in groups.values()), default=0)
    lines = []
    for label, members in ranked:
        row = f"{len(members):>{number}}  {label:<{code}}  {members[0].name:<{name}}"
        marker = fixable(members)
        lines.append(f"{row}  [{marker}]" if marker else row.rstrip())
    lines += map(failure_sentence, report.failures)
    if settings.summary:
        lines.append(summary(replace(report, measured=None)))
    return "".join(f"{sentence(line, unicode=settings.style.unicode)}\n" for line in lines)
