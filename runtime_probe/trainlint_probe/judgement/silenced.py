"""What the user does not want to hear of what only a run shows: by comments at its lines, or by the configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.config import rules_for, select_of_run
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import is_python
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import Verdict
from trainlint.finding import Finding, Severity, Span
from trainlint.paths import absolute
from trainlint.source import SourceFile, UnreadableSource, decode_source
from trainlint.suppress import silencing_lines
from trainlint_probe.result import Ignored


@dataclass(frozen=True, slots=True)
class UnsilencedVerdicts:
    """What is left to tell, and how much is not."""

    verdicts: tuple[Verdict, ...]
    ignored: Ignored


def without_silenced(verdicts: Sequence[Verdict], configurations: Configurations) -> UnsilencedVerdicts:
    """The verdicts that neither a comment nor the configuration silences, by the rules that hold for static findings.

    What is of a whole script stands at none of its lines: a comment for the whole file reaches it there.
    """
    rules = installed_rules()

    @cache
    def codes_on(path: str) -> frozenset[str]:
        """What the configuration turns on for a file; for what is none of Python's, that of the working directory."""
        place = absolute(Path(path))
        try:
            config = configurations.of(place.parent if is_python(path) else Path.cwd()).config
        except Misconfigured:  # it may say anything, so nothing is silenced; the file's own failure tells of it
            return frozenset(rule.code for rule in rules)
        return frozenset(rule.code for rule in rules_for(place, select_of_run(rules, config), config))

    on = [item for item in verdicts if item.code in codes_on(item.at.path)]
    kept = [item for item in on if not is_ignored(item.at, [item.code])]
    return UnsilencedVerdicts(
        tuple(kept), Ignored(by_comments=len(on) - len(kept), by_configuration=len(verdicts) - len(on))
    )


def is_ignored(at: Line, codes: Iterable[str]) -> bool:
    """Whether a comment at a line, or for its whole file, silences one of these rules."""
    source = _source(at.path)
    if source is None:
        return False
    span = Span(at.line, 1, at.line, 1)
    findings = [Finding(code, code, at.path, span, code, Severity.WARNING) for code in codes]
    return bool(silencing_lines(source, findings, (), installed_rules()))


def _source(path: str) -> SourceFile | None:
    """The text of a file; None where there is none, as under the name of a module or a trace."""
    if not is_python(path):
        return None
    try:
        return decode_source(path, Path(path).read_bytes())
    except (OSError, UnreadableSource):
        return None
