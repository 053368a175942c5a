"""One line for each group of findings that one change cures, as editors and `grep` read it.

path:line:column: CODE message [fix] [measured: ...]
"""

from __future__ import annotations

from trainlint.finding import Report
from trainlint.handbook import FIX_FLAGS
from trainlint.report.characters import sentence
from trainlint.report.groups import groups_of
from trainlint.report.measured import measured_note_of, stale_sentences
from trainlint.report.one import as_one
from trainlint.report.settings import Settings
from trainlint.report.words import failure_sentence, place_text, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.catalogue import AnyRule


def render(report: Report, *, rules: Sequence[AnyRule], settings: Settings, **_unused: object) -> str:
    """The findings, then the failures, then a line of counts. The flag in brackets applies the finding's fix.

    The dearest come first, or those of the first path.
    """
    lines = []
    for group in groups_of(report, by_path=settings.by_path):
        finding, note = as_one(group), measured_note_of(report, group.findings)
        fix = f" [{FIX_FLAGS[finding.fix.safety]}]" if finding.fix else ""
        at = place_text(finding.path, finding.span.start_line, finding.span.start_column, finding.cell)
        lines.append(f"{at}: {finding.code} {finding.sentence}{fix}{f' [measured: {note}]' if note else ''}")
    lines += (said for _, said in stale_sentences(report))
    lines += map(failure_sentence, report.failures)
    if settings.summary:
        lines.append(summary(report, rules=len(rules)))
    return "".join(f"{sentence(line, unicode=settings.style.unicode)}\n" for line in lines)
