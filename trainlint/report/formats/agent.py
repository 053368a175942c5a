"""For coding agents: what a person is told, in few tokens, with the id by which one finding is fixed.

    train.py:42 TRN201 3f9a1c2b7d: `loss.item()` forces a GPU sync [fix unsafe; help 1]
      | total += loss.item()
      step: line 38: for batch in loader

Each help is printed once, behind the findings, which name it by its number. A finding without a fix names none.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.baseline.identity import Identities
from trainlint.finding import IN_WORKERS, OFTEN, Finding, Report, Safety
from trainlint.handbook import FIX_FLAGS
from trainlint.report.characters import quoted, sentence
from trainlint.report.groups import groups_of
from trainlint.report.measured import measured_note_of, stale_sentences
from trainlint.report.one import as_one
from trainlint.report.settings import Settings, Sources
from trainlint.report.words import failure_sentence, level_words, line_name, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.catalogue import AnyRule
    from trainlint.source import SourceFile

_LONGEST_LINE = 120
"""Characters of a line of code; agents read the file for more."""
_MOST_STEPS = 3
"""Of a longer chain, the loop and the last step are shown."""


def render(report: Report, *, sources: Sources, rules: Sequence[AnyRule], settings: Settings) -> str:
    """The findings, what to do about them, how to apply a fix, the failures, and a line of counts."""
    identities = Identities(sources, settings.directory)
    helps: dict[str, int] = {}
    lines: list[str] = []
    for group in groups_of(report, by_path=settings.by_path):
        finding = as_one(group)
        number = helps.setdefault(finding.help, len(helps) + 1) if finding.help else None
        lines += _finding(finding, measured_note_of(report, group.findings), identities, number)
        others = ", ".join(map(identities.id_of, group.findings[1:]))
        lines += [f"  other ids: {others}"] if others else []
    lines += (f"help {number}: {text}" for text, number in helps.items())
    if levels := {finding.fix.safety for finding in report.findings if finding.fix}:
        flags = ", ".join(f"{level.label}: {FIX_FLAGS[level]}" for level in Safety if level in levels)
        lines.append(f"Apply one fix: `trainlint check PATH --only ID` with the flags of its level ({flags})")
    lines += (said for _, said in stale_sentences(report))
    lines += map(failure_sentence, report.failures)
    if settings.summary:
        lines.append(summary(report, rules=len(rules)))
    return "".join(f"{sentence(line, unicode=settings.style.unicode)}\n" for line in lines)


def _finding(finding: Finding, measured: str, identities: Identities, number: int | None) -> Iterator[str]:
    at = finding.span.start_line if finding.cell is None else line_name(finding.span.start_line, finding.cell)
    notes = [level_words(finding), f"fix {finding.fix.safety.label}" if finding.fix else ""]
    notes.append(f"help {number}" if number else "")
    noted = "; ".join(filter(None, notes))
    message = finding.message.removesuffix(OFTEN.get(finding.heat, "")) if finding.chain else finding.message
    says = f"{message} [{noted}]" if noted else message
    yield f"{quoted(finding.path)}:{at} {finding.code} {identities.id_of(finding)}: {says}"
    if code := _code(finding, identities.sources(finding.path)):
        yield f"  | {code}"
    if finding.chain:
        yield f"  {finding.heat.value}: {' → '.join(_short(finding))}"
    if measured:
        yield f"  measured: {measured}"


def _code(finding: Finding, source: SourceFile | None) -> str:
    if source is not None and finding.cell is not None:
        source = source.cell(finding.cell)
    line = source.line(finding.span.start_line).strip() if source else ""
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."


def _short(finding: Finding) -> Iterator[str]:
    """The chain; of a long one the loop and the last step. `./` is the finding's folder, `:8` a line of the file named
    before, or of the finding's own. What the chain's label says of how often it runs is not said again.
    """
    folder, before, is_own = f"{finding.path.rpartition('/')[0]}/", "", True
    chain = finding.chain
    for step in chain if len(chain) <= _MOST_STEPS else (chain[0], "...", chain[-1]):
        path = step.partition(": ")[0].rpartition(":")[0]
        is_own = is_own and not path
        if path and path == before:
            step = step.removeprefix(path)
        elif is_own and step.startswith("line "):
            step = f":{step.removeprefix('line ')}"
        elif step.startswith(folder):
            step = f"./{step.removeprefix(folder)}"
        yield step.removesuffix(f": {IN_WORKERS}")
        before = path
