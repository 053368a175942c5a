"""Findings as an editor shows them below the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from trainlint.finding import Severity
from trainlint.handbook import docs_url
from trainlint.report.characters import sentence
from trainlint.report.groups import grouped
from trainlint.report.one import with_places
from trainlint.report.words import level_words
from trainlint.server.positions import Positions

if TYPE_CHECKING:
    from trainlint.baseline.identity import Identities
    from trainlint.catalogue import InstalledRule
    from trainlint.finding import Failure, Finding
    from trainlint.source import SourceFile

SOURCE = "trainlint"
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.ADVICE: lsp.DiagnosticSeverity.Information,
}
_TAGS = {"deprecated": lsp.DiagnosticTag.Deprecated, "unnecessary": lsp.DiagnosticTag.Unnecessary}
_LINE = re.compile(r"line (\d+): ")


@dataclass(frozen=True, slots=True)
class Diagnoser:
    """Makes the diagnostics of one document."""

    source: SourceFile
    uri: str
    encoding: str
    rules: Mapping[str, InstalledRule]
    """By code."""
    source_at: Callable[[Path], SourceFile | None]
    """The text of another file, to count its columns; None where it cannot be read."""
    root: Path
    """Where paths in reports begin."""
    identities: Identities

    def of_findings(self, findings: Sequence[Finding]) -> list[lsp.Diagnostic]:
        """The diagnostics of a document's findings; those that one change cures name each other."""
        groups = {finding: group for group in grouped(findings, {}) for finding in group.findings}
        return [self._of_finding(with_places(finding, groups[finding])) for finding in findings]

    def _of_finding(self, finding: Finding) -> lsp.Diagnostic:
        url, tag = docs_url(finding), self._tag(finding.code)
        level = level_words(finding)
        words = f"{finding.sentence} ({level})" if level else finding.sentence
        return lsp.Diagnostic(
            range=Positions(self.source, self.encoding).range(finding.span),
            message=sentence(words, unicode=True),
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            code_description=lsp.CodeDescription(url) if url else None,
            source=SOURCE,
            tags=[tag] if tag else None,
            related_information=list(self._related(finding)) or None,
            data={"id": self.identities.id_of(finding)},
        )

    def of_failure(self, failure: Failure) -> lsp.Diagnostic:
        """The diagnostic that says why the file was not judged, or not by all rules: at its line, or at the first."""
        found = _LINE.match(failure.reason)
        line = min(int(found[1]), len(self.source.line_starts)) if found else 1
        end = Positions(self.source, self.encoding).position(max(line, 1), len(self.source.line(line)) + 1)
        return lsp.Diagnostic(
            range=lsp.Range(lsp.Position(end.line, 0), end),
            message=f"trainlint could not judge this: {sentence(failure.reason, unicode=True)}",
            severity=lsp.DiagnosticSeverity.Error,
            code=failure.rule,
            source=SOURCE,
        )

    def _tag(self, code: str) -> lsp.DiagnosticTag | None:
        rule = self.rules.get(code)
        return _TAGS.get(rule.editor_tag) if rule is not None else None

    def _related(self, finding: Finding) -> Iterator[lsp.DiagnosticRelatedInformation]:
        for place in finding.related:
            path = Path(self.root, place.path)
            here = place.path == finding.path
            source = self.source if here else self.source_at(path)
            position = lsp.Position(place.line - 1, place.column - 1)
            if source is not None:
                position = Positions(source, self.encoding).position(place.line, place.column)
            uri = self.uri if here else from_fs_path(str(path)) or ""
            where = lsp.Location(uri, lsp.Range(position, position))
            yield lsp.DiagnosticRelatedInformation(where, sentence(place.message, unicode=True))
