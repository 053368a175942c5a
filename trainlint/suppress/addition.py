"""Ignore comments for findings that are to stay, written behind the statements that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trainlint.finding import Edit
from trainlint.suppress.comments import read_comments
from trainlint.training_settings.files import is_settings

if TYPE_CHECKING:
    from trainlint.finding import Finding
    from trainlint.source import SourceFile
    from trainlint.suppress.comments import Directive


def additions(source: SourceFile, findings: Iterable[Finding], reason: str) -> tuple[Edit, ...]:
    """The edits that silence the findings, one a statement; of those that no comment can stand behind, none.

    A comment that silences some rules there already gets the further codes, and keeps its reason.
    """
    comments = read_comments(source, lambda _: False)
    ends = _last_lines_of_settings(source) if is_settings(source.path) else comments.last_lines
    codes: dict[int, list[str]] = {}
    for finding in sorted(findings, key=lambda finding: finding.order):
        last = ends.get(finding.span.start_line)
        if last is not None and finding.code not in codes.setdefault(last, []):
            codes[last].append(finding.code)
    directives = {
        ends[directive.line]: directive
        for directive in comments.directives
        if directive.of_trainlint and not directive.whole_file and directive.words and directive.line in ends
    }
    return tuple(
        _extended(directives[line], added) if line in directives else _append_comment(source, line, added, reason)
        for line, added in sorted(codes.items())
    )


def _last_lines_of_settings(source: SourceFile) -> dict[int, int]:
    """Each line of YAML ends itself; JSON has no comments, so no line of it is here."""
    return {} if source.path.endswith(".json") else {line: line for line in range(1, len(source.line_starts) + 1)}


def _extended(directive: Directive, codes: Sequence[str]) -> Edit:
    assert directive.words  # `additions` takes no other
    end = directive.words[-1].stop
    return Edit(end, end, "".join(f", {code}" for code in codes))


def _append_comment(source: SourceFile, line: int, codes: Sequence[str], reason: str) -> Edit:
    text = source.line(line)
    end = source.line_starts[line - 1] + len(text)
    start = source.line_starts[line - 1] + len(text.rstrip())
    return Edit(start, end, f"  # trainlint: ignore[{', '.join(codes)}] {reason}")
