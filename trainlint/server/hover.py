"""What an editor shows when somebody points at a finding: what is wrong, why here, what to do, and the rule's page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.handbook import FIX_FLAGS, docs_url
from trainlint.report.characters import sentence
from trainlint.report.words import heat_note, level_words

if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Finding


def hover_text(findings: Sequence[Finding], rules: dict[str, InstalledRule]) -> str:
    """The text about some findings at one place, as Markdown."""
    return "\n\n---\n\n".join("\n\n".join(_parts(finding, rules.get(finding.code))) for finding in findings)


def _parts(finding: Finding, rule: InstalledRule | None) -> Iterator[str]:
    level = level_words(finding)
    yield f"**{finding.code}** {finding.name}" + (f" ({level})" if level else "")
    yield _plain(finding.sentence)
    if note := heat_note(finding):
        yield f"*Why here:* {_plain(note)}"
    if finding.fix is not None:
        yield f"*Fix:* {_plain(finding.fix.title)} ({finding.fix.safety.label}, `{FIX_FLAGS[finding.fix.safety]}`)"
    if rule is not None and (why := rule.loaded().manual.section("Why")):
        yield f"*Why it matters:* {why}"
    if url := docs_url(finding):
        yield f"[The page of the rule]({url})"


def _plain(text: str) -> str:
    """Text of ours that may quote code of the file, on one line. Nothing in it becomes a link or an image."""
    return sentence(text, unicode=True).replace("<", "&lt;").replace("[", "\\[")
