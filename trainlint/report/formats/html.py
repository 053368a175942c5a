"""For people with a browser: one page that needs no network. What comes from a repository is text in it, never markup.

The page's own script only filters. Its Content-Security-Policy names the digests of that script and of the style
sheet, so a browser runs and applies nothing else, whatever stands in the page.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from itertools import chain

from trainlint import __version__
from trainlint.baseline.identity import Identities
from trainlint.finding import Finding, Fix, Heat, Report, Safety
from trainlint.handbook import FIX_FLAGS, HOME, docs_url
from trainlint.report.characters import quoted, sentence
from trainlint.report.diff import changes
from trainlint.report.excerpt import WIDEST, Line, excerpt, printable_source, without_common_indent
from trainlint.report.groups import Group, groups_of
from trainlint.report.markup import html_environment
from trainlint.report.measured import measured_note_of, stale_sentences, verdict_on
from trainlint.report.one import as_one, places_of
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import count, failure_sentence, heat_words, level_words, place_text, runs, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.source import SourceFile

_MOST_CHANGES = 60
"""Lines of a diff that are shown; `--diff` shows all."""
_LINE = re.compile(r"(?:line|cell) [\d:]+")
_CAUTION = {
    Safety.SAFE: "training stays bit-identical",
    Safety.NUMERICS: "other rounding, order or random numbers",
    Safety.UNSAFE: "needs your judgement",
}
_KINDS = {"-": "gone", "+": "come", " ": "same"}
_UNMEASURED = "no evidence"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter."""

    number: int
    label: str
    note: str
    """What is written after the label; may be empty."""
    count: int


@dataclass(frozen=True, slots=True)
class Filter:
    """A property of findings, by which the page filters them."""

    key: str
    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way from the loop to the line."""

    place: str
    """As in "train.py:47" or "line 52"; empty where it is not known."""
    what: str


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the diff of a fix."""

    kind: str
    """"gone", "come" or "same"."""
    sign: str
    line: int
    text: str
    gap: bool
    """Whether lines are left out before it."""


@dataclass(frozen=True, slots=True)
class FixView:
    """A fix, as the page shows it."""

    title: str
    level: str
    caution: str
    flag: str
    changes: tuple[Change, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding, as the page shows it."""

    number: int
    id: str
    code: str
    name: str
    severity: str
    level: str
    """How sure it is; empty where it is certain."""
    message: str
    help: str
    place: str
    url: str | None
    often: str
    chain: tuple[Step, ...]
    line: int
    lines: tuple[Line, ...]
    related: tuple[Step, ...]
    cure: FixView | None
    state: str
    """What evidence says of it, in a word; empty without evidence."""
    measured: str
    """The same in a sentence."""
    filters: dict[str, int]
    """For each filter, the number of the finding's choice."""


def render(report: Report, *, sources: Sources, settings: Settings, **_unused: object) -> str:
    """The whole page."""
    identities = Identities(sources, settings.directory)
    groups = groups_of(report, by_path=settings.by_path)
    ordered = tuple(group.first for group in groups)
    filters, chosen = _filters(ordered, report)
    in_file: defaultdict[str, list[tuple[int, Finding]]] = defaultdict(list)
    for number, group in enumerate(groups):
        for finding in group.findings:
            in_file[finding.path].append((number, finding))
    templates = files("trainlint.report") / "templates"
    style, script = ((templates / name).read_text(encoding="utf-8") for name in ("check.css", "check.js"))
    page = html_environment("trainlint.report").get_template("check.html")
    return (
        page.render(
            cards=[
                _view(number, group, report, identities, in_file[group.first.path], chosen[number])
                for number, group in enumerate(groups)
            ],
            filters=filters,
            summary=_text(summary(report)),
            evidence=_evidence(report),
            notes=[_text(said) for _, said in stale_sentences(report)],
            failures=[_text(failure_sentence(failure)) for failure in report.failures],
            style=style,
            script=script,
            policy=_policy(style, script),
            version=__version__,
            home=HOME,
        )
        + "\n"
    )


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy that allows nothing but this style sheet and this script."""
    digests = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, script)]
    return f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'"


def _filters(ordered: Sequence[Finding], report: Report) -> tuple[list[Filter], list[dict[str, int]]]:
    """The filters, and for each finding the numbers of its choices."""
    filters: list[Filter] = []
    chosen: list[dict[str, int]] = [{} for _ in ordered]
    for key, title, values in _columns(ordered, report):
        counted = Counter(values)
        ranked = _by_heat(counted) if key == "often" else sorted(counted, key=lambda value: (-counted[value], value))
        numbers = {value: number for number, value in enumerate(ranked)}
        choices = (Choice(numbers[value], _text(value[0]), value[1], counted[value]) for value in ranked)
        filters.append(Filter(key, title, tuple(choices)))
        for of_finding, value in zip(chosen, values, strict=True):
            of_finding[key] = numbers[value]
    return filters, chosen


def _columns(ordered: Sequence[Finding], report: Report) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Each filter's key and title with the value of each finding: a label and a note. The longest lists come last."""
    yield "often", "How often the line runs", [(heat_words(finding.heat), "") for finding in ordered]
    yield "severity", "Severity", [(finding.severity.label, "") for finding in ordered]
    yield "fix", "Fix", [(finding.fix.safety.label if finding.fix else "none", "") for finding in ordered]
    if report.measured:
        yield "measured", "Evidence", [(_state(report, finding) or _UNMEASURED, "") for finding in ordered]
    yield "rule", "Rule", [(finding.code, _text(finding.name)) for finding in ordered]
    yield "file", "File", [(quoted(finding.path), "") for finding in ordered]


def _by_heat(counted: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """From what runs most often to what runs least."""
    return [value for value in ((heat_words(heat), "") for heat in Heat) if value in counted]


def _view(
    number: int,
    group: Group,
    report: Report,
    identities: Identities,
    in_file: Iterable[tuple[int, Finding]],
    chosen: dict[str, int],
) -> FindingView:
    finding, state = as_one(group), _state(report, group.first)
    source = identities.sources(finding.path)
    if source is not None and finding.cell is not None:
        source = source.cell(finding.cell)
    others = [(other, found.span) for other, found in in_file if other != number and found.cell == finding.cell]
    span = finding.span
    return FindingView(
        number=number,
        id=identities.id_of(group.first),
        code=_text(finding.code),
        name=_text(finding.name),
        severity=finding.severity.label,
        level=level_words(finding),
        message=_text(finding.message),
        help=_text(finding.help),
        place=_text(place_text(finding.path, span.start_line, span.start_column, finding.cell)),
        url=docs_url(finding),
        often=runs(finding.heat) if finding.chain else heat_words(finding.heat),
        chain=tuple(map(_step, finding.chain)),
        line=span.start_line,
        lines=tuple(excerpt(source, span, others)) if source else (),
        related=tuple(
            Step(_text(place_text(related.path, related.line, related.column, related.cell)), _text(related.message))
            for related in (*places_of(group), *finding.related)
        ),
        cure=_fix_view(_in_cell(finding.fix, finding.cell), source) if finding.fix else None,
        state=state,
        measured=_text(measured_note_of(report, group.findings).removeprefix(f"{state}: ")),
        filters=chosen,
    )


def _in_cell(fix: Fix, cell: int | None) -> Fix:
    """The part of a fix that changes the cell that is shown."""
    return fix if cell is None else replace(fix, edits=tuple(edit for edit in fix.edits if edit.cell == cell))


def _fix_view(fix: Fix, source: SourceFile | None) -> FixView:
    pieces = changes(source, fix) if source else []
    texts = without_common_indent([printable_source(change.text[:WIDEST]) for piece in pieces for change in piece])
    begins = [index == 0 for piece in pieces for index in range(len(piece))]
    lines = [
        Change(
            {"-": "gone", "+": "come"}.get(change.sign, "same"), change.sign, change.line, text, bool(number) and begin
        )
        for number, (change, text, begin) in enumerate(zip(chain.from_iterable(pieces), texts, begins, strict=True))
    ]
    return FixView(
        title=_text(fix.title),
        level=fix.safety.label,
        caution=_CAUTION[fix.safety],
        flag=FIX_FLAGS[fix.safety],
        changes=tuple(lines[:_MOST_CHANGES]),
        left_out=max(0, len(lines) - _MOST_CHANGES),
    )


def _step(said: str) -> Step:
    place_shown, separator, what = said.partition(": ")
    is_place = _LINE.fullmatch(place_shown) or place_shown.rpartition(":")[2].isdigit()
    return Step(_text(place_shown), _text(what)) if separator and is_place else Step("", _text(said))


def _state(report: Report, finding: Finding) -> str:
    verdict = verdict_on(report, finding)
    return verdict.state.value if verdict else ""


def _evidence(report: Report) -> str:
    if report.measured is None:
        return ""
    of_findings = count(len(report.measured.verdicts), "finding")
    return _text(f"Evidence: {report.measured.evidence} ({report.measured.run}) speaks of {of_findings}.")


def _text(text: str) -> str:
    """Words that may come from a repository, on one line. The template escapes them."""
    return sentence(text, unicode=True)
