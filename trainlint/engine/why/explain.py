"""Answers `trainlint why`: what is known of some lines, and why each rule reports something there or is silent."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import end_position, position
from trainlint.analysis.syntax.written import shortened, written
from trainlint.config import severity_for
from trainlint.contract.declared_rule import WordedRule
from trainlint.engine.executed import executed_sites
from trainlint.engine.places import places_by_rule
from trainlint.engine.why.cells import explanation_in_cells
from trainlint.engine.why.executed_lines import ExecutedLines
from trainlint.engine.why.line_facts import LineFacts, last_header_line
from trainlint.explanation import Explanation, Hidden, Hiding, Line, Look, Part, Verdict
from trainlint.finding import Finding, Span
from trainlint.rule import Rule
from trainlint.suppress import silencing_lines, suppress

if TYPE_CHECKING:
    from trainlint.catalogue import InstalledRule
    from trainlint.engine.configurations import Selection
    from trainlint.interpreter.operations import Operation

NO_REASON = "no reason given; `trainlint explain CODE` says what the rule looks for"
"""The answer of a rule without guards, of another pack: one that derives from `Rule` itself."""
_MOST_NEARBY = 3


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """An installed rule, and whether it runs."""

    rule: Rule
    off: Hiding | None = None
    """Why it does not run on the file in `trainlint check`; None where it does."""


def rules_to_ask(selection: Selection, running: Sequence[InstalledRule]) -> tuple[ExplainedRule, ...]:
    """Every installed rule, whether it runs or not. `running` are those that run on the file."""
    on = {rule.code for rule in running}
    asked = []
    for known in selection.known:
        why = Hiding.PREVIEW if known.preview and not selection.config.preview else Hiding.NOT_SELECTED
        rule = known.loaded()()
        asked.append(ExplainedRule(rule, None if known.code in on else why))
    return tuple(asked)


def explain(
    model: SemanticModel,
    rules: Sequence[ExplainedRule],
    first: int,
    last: int,
    *,
    whole_file: bool = False,
    executed: ExecutedLines | None = None,
) -> Explanation:
    """What is known of the lines from `first` to `last`, and what each rule that looks at them says.

    Of several lines, those that hold code; of the whole file, those that a rule looks at. `executed` is what the
    abstract run of the project says of the file.
    """
    questions = _Questions(model, rules, first, last, executed)
    looks = questions.looks()
    parts = questions.parts()
    facts = LineFacts(model)
    lines: list[Line] = []
    for number in sorted({*looks, *parts}) if whole_file else range(first, last + 1):
        line = facts.of(number)
        if line.heat is not None or number in looks or first == last:
            looked, belongs = tuple(looks.get(number, ())), tuple(parts.get(number, ()))
            lines.append(replace(line, looks=looked, part_of=belongs))
    explanation = Explanation(
        path=model.source.path,
        first=first,
        last=last,
        whole_file=whole_file,
        min_confidence=model.config.min_confidence,
        lines=tuple(lines),
        nearby=() if looks or parts else questions.nearby(),
    )
    return explanation_in_cells(explanation, model.source.cells)


@dataclass(slots=True, eq=False)
class _Questions:
    """What all rules say of a file, and which of it concerns the lines in question."""

    model: SemanticModel
    rules: Sequence[ExplainedRule]
    first: int
    last: int
    executed: ExecutedLines | None = None
    _found: dict[Finding, Hiding | None] = field(default_factory=dict)
    """Every finding of the file, with why its rule is off."""
    _silenced: dict[Finding, int] = field(default_factory=dict)
    """The findings that a comment silences, with its line."""
    _crashed: set[str] = field(default_factory=set)
    """The codes of rules that crashed somewhere in the file."""

    def looks(self) -> dict[int, list[Look]]:
        """What rules saw, by line: findings at their own line, silence where the rule looked."""
        looks = [*self._looks_of_rules(), *self._looks_of_comments()]
        by_line: dict[int, list[Look]] = {}
        for look in looks:
            judged = replace(look, verdicts=tuple(self._verdict(verdict.finding) for verdict in look.verdicts))
            by_line.setdefault(self._line(judged), []).append(judged)
        for found in by_line.values():
            found.sort(key=lambda look: (not look.verdicts, look.code, look.span))
        return by_line

    def parts(self) -> dict[int, list[Part]]:
        """The shown findings that have another of their places on the lines, by line; to be asked after `looks`."""
        by_line: dict[int, list[Part]] = {}
        for finding in sorted(self._found, key=lambda finding: finding.order):
            if self._verdict(finding).hidden:
                continue
            for place in finding.related:
                here = place.path == finding.path and self._concerns(place.line)
                if here and place.line != finding.span.start_line:
                    by_line.setdefault(place.line, []).append(Part(finding, place.message))
        return by_line

    def nearby(self) -> tuple[Finding, ...]:
        """The findings that `trainlint check` shows nearest to the lines."""
        shown = [verdict.finding for verdict in map(self._verdict, self._found) if not verdict.hidden]
        shown.sort(key=lambda finding: (self._distance(finding.span.start_line), finding.order))
        return tuple(sorted(shown[:_MOST_NEARBY], key=lambda finding: finding.order))

    def _looks_of_rules(self) -> list[Look]:
        """What each rule makes of the lines. The findings of the whole file are kept in `_found`."""
        # Also places that run too seldom for a rule, which then says so.
        places = places_by_rule([asked.rule for asked in self.rules], self.model, however_seldom=True)
        questions = zip(self.rules, places, strict=True)
        return [look for asked, wanted in questions for look in self._of_rule(asked, wanted)] + self._of_operations()

    def _of_operations(self) -> list[Look]:
        """What rules say of the operations that the abstract run executed, and of those that no rule is asked about."""
        if self.executed is None:
            return []
        told = executed_sites(self.model, self.executed.operations)
        places = ((each, (each.position, *each.alike)) for each, _ in told)
        known = {(position, each.happening) for each, of_each in places for position in of_each}
        left = [item for item in self.executed.untold if (item.position, item.happening) not in known]
        untold = executed_sites(self.model, left)
        looks: list[Look] = []
        for asked in self.rules:
            happenings = asked.rule.happenings or frozenset()
            looks += self._of_sites(asked, [(site, item) for item, site in told if item.happening in happenings])
            for operation, site in untold:
                span = _span(site)
                if operation.happening in happenings and self._concerns(span.start_line, span.end_line):
                    silence = self.executed.silence(operation)
                    looks.append(
                        Look(asked.rule.code, asked.rule.name, span, _text(site, span), asked.off, silence=silence)
                    )
        return looks

    def _looks_of_comments(self) -> list[Look]:
        """What is wrong with the ignore comments of the lines. Remembers what they silence."""
        known = [asked.rule for asked in self.rules]
        ran = [asked.rule for asked in self.rules if asked.off is None and asked.rule.code not in self._crashed]
        self._silenced = silencing_lines(self.model.source, list(self._found), ran, known)
        of_rules = [finding for finding, off in self._found.items() if off is None]
        elsewhere, leaving = self.model.outside.ignored_at, self.model.frequencies.leading_out
        kept = suppress(self.model.source, of_rules, ran, known, elsewhere=elsewhere, leaving=leaving)
        about_comments = set(kept.findings) - set(of_rules)
        return [
            self._reported(finding)
            for finding in sorted(about_comments, key=lambda finding: finding.order)
            if self._concerns(finding.span.start_line)
        ]

    def _of_rule(self, explained: ExplainedRule, places: Iterator[Place]) -> Iterator[Look]:
        """The rule's looks at places on the lines, and those elsewhere that found something on the lines."""
        return self._of_sites(explained, ((Site(self.model, place), None) for place in places))

    def _of_sites(self, explained: ExplainedRule, sites: Iterable[tuple[Site, Operation | None]]) -> Iterator[Look]:
        """The same for places and for operations."""
        for site, operation in sites:
            span = _span(site)
            here = self._concerns(span.start_line, span.end_line)
            look = self._look(explained, site, span, operation, here=here)
            if here:
                yield look
                continue
            for verdict in look.verdicts:
                if self._concerns(verdict.finding.span.start_line):
                    yield self._reported(verdict.finding, explained.off)

    def _look(
        self, explained: ExplainedRule, site: Site, span: Span, operation: Operation | None, *, here: bool
    ) -> Look:
        """Ask a rule about a place or an operation; only `here`, on the lines in question, why it is silent."""
        rule, found = explained.rule, list[Finding]()
        silence = failure = None
        try:
            answers = rule.check(site) if operation is None else rule.check_operation(site, operation)
            for finding in answers:
                found.append(self._remembered(explained, finding))
            if here and not found:
                silence = _silence(rule, site)
        except Exception as crash:  # noqa: BLE001  # told to the user, as in a run
            self._crashed.add(rule.code)
            failure = f"{type(crash).__name__}: {crash}"
        text = _text(site, span) if here else ""
        return Look(rule.code, rule.name, span, text, explained.off, tuple(map(Verdict, found)), silence, failure)

    def _remembered(self, explained: ExplainedRule, finding: Finding) -> Finding:
        """The finding with its configured severity."""
        severity = severity_for(explained.rule, self.model.config)
        known = replace(finding, severity=severity) if severity is not None else finding
        self._found[known] = explained.off
        return known

    def _reported(self, finding: Finding, off: Hiding | None = None) -> Look:
        """The look of a finding whose rule looked at another line."""
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

    def _concerns(self, start: int, end: int | None = None) -> bool:
        """Whether any of the lines from `start` to `end`, or `start` alone, is in question."""
        return start <= self.last and self.first <= (start if end is None else end)

    def _line(self, look: Look) -> int:
        """The line under which a look is shown."""
        lines = (verdict.finding.span.start_line for verdict in look.verdicts)
        return next(filter(self._concerns, lines), max(look.span.start_line, self.first))

    def _distance(self, line: int) -> int:
        return max(self.first - line, line - self.last, 0)


def _silence(rule: Rule, site: Site) -> str | None:
    """Why a rule reports nothing at a place, as a clause; None where it looks for something else."""
    return rule.silence(site) if isinstance(rule, WordedRule) else NO_REASON


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
