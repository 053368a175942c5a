"""Marks by which a service recognises a finding in the next run, though lines above it came or went."""

from __future__ import annotations

import hashlib
from collections import Counter

from trainlint.finding import Finding
from trainlint.source import SourceFile


class Fingerprints:
    """The fingerprints of one report, asked for in the order of its findings."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def of(self, finding: Finding, source: SourceFile | None) -> str:
        """A hash of the code, the line without its indentation, and how many such lines came before in the file.

        Two files may have the same fingerprint; `in_file` tells them apart.
        """
        text = source if source is None or finding.cell is None else source.cell(finding.cell)
        line = text.line(finding.span.start_line).strip() if text else finding.message
        key = (finding.path, finding.code, line)
        self._seen[key] += 1
        return _hash(finding.code, line, str(self._seen[key]))

    @staticmethod
    def in_file(path: str, fingerprint: str) -> str:
        """The same for services that compare findings of all files by the fingerprint alone."""
        return _hash(path, fingerprint)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
