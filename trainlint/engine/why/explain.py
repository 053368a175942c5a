"""The questions behind `trainlint why`: what is known of some lines, and why each rule spoke or stayed silent there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import end_position, position
from trainlint.analysis.syntax.written import shortened, written
from trainlint.config import severity_for
from trainlint.contract.declared_rule import DeclaredRule
from trainlint.engine.places import places_by_rule
from trainlint.engine.why.line_facts import LineFacts
from trainlint.engine.why.rule_source import last_header_line
from trainlint.engine.why.stopping import stops
from trainlint.engine.why.tracing import ask, watch
from trainlint.explanation import Explanation, Hidden, Hiding, Line, Look, Verdict
from trainlint.finding import Finding, Span
from trainlint.rule import Rule
from trainlint.suppress import silencing_lines, suppress

if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.engine.configurations import Selection

_MOST_NEARBY = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """An installed rule, and whether it runs."""

    rule: Rule
    off: Hiding | None = None
    """Why it does not run on the file in `trainlint check`; None where it does."""


def rules_to_ask(selection: Selection, running: Sequence[InstalledRule]) -> tuple[Asked, ...]:
    """Every installed rule, whether it runs or not. `running` are those that run on the file."""
    on = {rule.code for rule in running}
    asked = []
    for known in selection.known:
        why = Hiding.PREVIEW if known.preview and not selection.config.preview else Hiding.NOT_SELECTED
        rule = known.loaded()()
        asked.append(Asked(rule, None if known.code in on else why))
    return tuple(asked)


def explain(
    model: SemanticModel, rules: Sequence[Asked], first: int, last: int, *, whole_file: bool = False
) -> Explanation:
    """What is known of the lines from `first` to `last`, and what each rule that looks at them says.

    Of several lines only those are told that hold code; of the whole file, those that a rule looks at.
    """
    inquest = _Inquest(model, rules, first, last)
    looks = inquest.looks()
    facts = LineFacts(model)
    lines: list[Line] = []
    for number in sorted(looks) if whole_file else range(first, last + 1):
        line = facts.of(number)
        if line.heat is not None or number in looks or first == last:
            lines.append(replace(line, looks=tuple(looks.get(number, ()))))
    return Explanation(
        path=model.source.path,
        first=first,
        last=last,
        whole_file=whole_file,
        min_confidence=model.config.min_confidence,
        lines=tuple(lines),
        nearby=() if looks else inquest.nearby(),
    )


@dataclass(slots=True, eq=False)
class _Inquest:
    """All rules over a file; over the lines in question under observation."""

    model: SemanticModel
    rules: Sequence[Asked]
    first: int
    last: int
    _found: dict[Finding, Hiding | None] = field(default_factory=dict)
    """Every finding of the file, with why its rule is off."""
    _silenced: dict[Finding, int] = field(default_factory=dict)

    def looks(self) -> dict[int, list[Look]]:
        """What rules saw, by line: findings at their own line, silence where the rule looked."""
        # Those that run too seldom as well: the rule itself says that it wants other code.
        places = places_by_rule([asked.rule for asked in self.rules], self.model, however_seldom=True)
        raw = [look for asked, wanted in zip(self.rules, places, strict=True) for look in self._of_rule(asked, wanted)]
        crashed = {look.code for look in raw if look.failure}
        ran = [asked.rule for asked in self.rules if asked.off is None and asked.rule.code not in crashed]
        known = [asked.rule for asked in self.rules]
        self._silenced = silencing_lines(self.model.source, list(self._found), ran, known)
        shown_rules = [finding for finding, off in self._found.items() if off is None]
        about_comments = set(suppress(self.model.source, shown_rules, ran, known).findings) - set(shown_rules)
        raw += [self._said(finding) for finding in sorted(about_comments, key=lambda finding: finding.order)]
        by_line: dict[int, list[Look]] = {}
        for look in raw:
            judged = replace(look, verdicts=tuple(self._verdict(verdict.finding) for verdict in look.verdicts))
            line = self._line(judged)
            if line is not None:
                by_line.setdefault(line, []).append(judged)
        for found in by_line.values():
            found.sort(key=lambda look: (not look.verdicts, look.code, look.span))
        return by_line

    def nearby(self) -> tuple[Finding, ...]:
        """The findings that `trainlint check` shows nearest to the lines."""
        shown = [verdict.finding for verdict in map(self._verdict, self._found) if not verdict.hidden]
        shown.sort(key=lambda finding: (self._distance(finding.span.start_line), finding.order))
        return tuple(sorted(shown[:_MOST_NEARBY], key=lambda finding: finding.order))

    def _of_rule(self, asked: Asked, places: Iterator[Place]) -> Iterator[Look]:
        """The rule's looks at the lines, and what it found elsewhere in the file."""
        rule = asked.rule
        for place in places:
            site = Site(self.model, place)
            span = _span(site)
            if span.end_line < self.first or span.start_line > self.last:
                yield from self._elsewhere(asked, site)
                continue
            watched = ask(rule, site) if isinstance(rule, DeclaredRule) else watch(rule, site)
            findings = tuple(self._remember(asked, finding) for finding in watched.findings)
            yield Look(
                code=rule.code,
                name=rule.name,
                span=span,
                text=_text(site, span),
                off=asked.off,
                verdicts=tuple(map(Verdict, findings)),
                stops=stops(watched.run, site) if watched.run and not findings else (),
                silence=rule.silence(site) if isinstance(rule, DeclaredRule) and watched.is_silent else "",
                failure=f"{type(watched.error).__name__}: {watched.error}" if watched.error else None,
            )

    def _elsewhere(self, asked: Asked, site: Site) -> Iterator[Look]:
        """A finding may stand at another line than the place that its rule looked at."""
        try:
            found = [self._remember(asked, finding) for finding in asked.rule.check(site)]
        except Exception:  # noqa: BLE001  # told where it happens: at another line
            return
        for finding in found:
            if self.first <= finding.span.start_line <= self.last:
                yield self._said(finding, asked.off)

    def _remember(self, asked: Asked, finding: Finding) -> Finding:
        severity = severity_for(asked.rule, self.model.config)
        known = replace(finding, severity=severity) if severity is not None else finding
        self._found[known] = asked.off
        return known

    def _said(self, finding: Finding, off: Hiding | None = None) -> Look:
        source, span = self.model.source, finding.span
        start = source.line_starts[span.start_line - 1] + span.start_column - 1
        stop = source.line_starts[span.end_line - 1] + span.end_column - 1
        text = shortened(" ".join(source.text[start:stop].split()))
        return Look(finding.code, finding.name, span, text, off, (Verdict(finding),))

    def _verdict(self, finding: Finding) -> Verdict:
        hidden = []
        off = self._found.get(finding)
        if off is not None:
            hidden.append(Hidden(off))
        if finding in self._silenced:
            hidden.append(Hidden(Hiding.COMMENT, self._silenced[finding]))
        if finding.confidence < self.model.config.min_confidence:
            hidden.append(Hidden(Hiding.LOW_CONFIDENCE))
        return Verdict(finding, tuple(hidden))

    def _line(self, look: Look) -> int | None:
        """Under which of the lines a look is told; None where it concerns none of them."""
        for verdict in look.verdicts:
            if self.first <= verdict.finding.span.start_line <= self.last:
                return verdict.finding.span.start_line
        if look.span.end_line < self.first or look.span.start_line > self.last:
            return None
        return max(look.span.start_line, self.first)

    def _distance(self, line: int) -> int:
        return max(self.first - line, line - self.last, 0)


def _span(site: Site) -> Span:
    """Where a place stands; of a loop, its header."""
    node, source = site.node, site.source
    if isinstance(node, ast.comprehension):
        return source.span(source.offset(*position(node.target)), source.offset(*end_position(node.iter)))
    if isinstance(node, ast.stmt) and hasattr(node, "body"):
        last = last_header_line(node)
        return source.span(source.offset(*position(node)), source.line_starts[last - 1] + len(source.line(last)))
    # Before Python 3.12 a formatted value itself has the position of its whole text.
    return site.span(node.value if isinstance(node, ast.FormattedValue) else node)


def _text(site: Site, span: Span) -> str:
    if isinstance(site.node, ast.stmt) and hasattr(site.node, "body"):
        text = " ".join(site.source.line(number).strip() for number in range(span.start_line, span.end_line + 1))
        return shortened(text.rstrip(":"))
    if isinstance(site.node, ast.FormattedValue):
        return f"{{{written(site.source, site.node.value)}}}"
    return written(site.source, site.node)
