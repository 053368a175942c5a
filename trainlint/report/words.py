"""The words that several formats share."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.finding import OFTEN, Confidence, Heat
from trainlint.handbook import FIX_FLAGS
from trainlint.report.characters import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.finding import Failure, Finding, Report, UnappliedFix

_RUNS = {
    Heat.STEP: "runs each training step",
    Heat.INNER: "runs several times in each training step",
    Heat.EVAL_STEP: "runs for each batch of an evaluation",
    Heat.EPOCH: "runs once an epoch",
    Heat.RARE: "runs only in some steps",
    Heat.ONCE: "runs once",
    Heat.WORKER: "runs in the data-loading processes",
    Heat.UNKNOWN: "is reached from here",
}


def line_name(line: int, cell: int | None) -> str:
    """As in "line 88", and "cell 3:12" in a notebook."""
    return f"line {line}" if cell is None else f"cell {cell}:{line}"


def place_text(path: str, line: int, column: int, cell: int | None) -> str:
    """As in "train.py:88:12", and "run.ipynb:cell 3:12:5" in a notebook."""
    return f"{quoted(path)}:{line if cell is None else line_name(line, cell)}:{column}"


def runs(heat: Heat) -> str:
    """How often a line of that heat runs, as in "runs each training step"."""
    return _RUNS[heat]


def heat_note(finding: Finding) -> str:
    """How often the line runs and why, as in "runs each training step: line 8: for batch in loader"."""
    if not finding.chain:
        return "" if finding.heat in (Heat.UNKNOWN, Heat.ONCE) else _RUNS[finding.heat]
    return f"{_RUNS[finding.heat]}: {' → '.join(finding.chain)}"


def without_frequency(finding: Finding) -> str:
    """The message without how often the line runs."""
    return finding.message.removesuffix(OFTEN.get(finding.heat, "\n"))


def level_words(finding: Finding) -> str:
    """How sure the finding is, as in "likely"; empty where it is certain."""
    return "" if finding.confidence is Confidence.CERTAIN else finding.confidence.label


def failure_sentence(failure: Failure) -> str:
    """What could not be judged, and why."""
    return f"could not judge {quoted(failure.path)}: {failure.reason}"


def unapplied_sentence(fix: UnappliedFix) -> str:
    """Which fix could not be applied, and why."""
    return f"{quoted(fix.path)}: {fix.rule}: {fix.reason}"


def fixable(findings: Iterable[Finding]) -> str:
    """As in "2 fixable with --fix, 1 more with --fix --unsafe-fixes"; empty where no finding has a fix."""
    levels = [finding.fix.safety for finding in findings if finding.fix]
    parts: list[str] = []
    for safety, flag in FIX_FLAGS.items():
        if count := levels.count(safety):
            parts.append(f"{count} {'more' if parts else 'fixable'} with {flag}")
    return ", ".join(parts)


def left_over(report: Report) -> str:
    """What fixes have left and why, as in "Left: 1 problem needs --fix --unsafe-fixes, 2 have no fix."; else empty.

    A fix that was tried and taken back counts as none: its note says why.
    """
    reasons = [_why_left(finding) for finding in report.findings]
    parts: list[str] = []
    for reason in (*(("needs", "need", flag) for flag in FIX_FLAGS.values()), _WITHHELD, _NO_FIX):
        if number := reasons.count(reason):
            one, several, words = reason
            counted = str(number) if parts else count(number, "problem")
            parts.append(f"{counted} {one if number == 1 else several} {words}")
    return f"Left: {', '.join(parts)}." if parts else ""


_WITHHELD = ("is", "are", "not to be fixed (`fixable`, `unfixable`)")
_NO_FIX = ("has", "have", "no fix")


def _why_left(finding: Finding) -> tuple[str, str, str]:
    """Why a finding is left, as the verb for one, the verb for several, and the rest of the clause."""
    if finding.fix is not None:
        return "needs", "need", FIX_FLAGS[finding.fix.safety]
    return _WITHHELD if finding.withheld else _NO_FIX


def fixes_by_file(report: Report) -> list[str]:
    """What was fixed, a line for each file and an indented one for each of its rules."""
    lines: list[str] = []
    shown = ""
    for path, code, number in report.fixed_rules:
        if path != shown:
            lines.append(f"{quoted(path)}:")
            shown = path
        lines.append(f"  {code}: {count(number, 'problem')}")
    return lines


def count(number: int, noun: str) -> str:
    """As in "1 file" and "2 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(report: Report, *, rules: int = 0) -> str:
    """The line of counts. It says that all is clear only where everything was judged and nothing found.

    `rules` is how many rules ran; 0 where that is not known.
    """
    new = "new " if report.compared else ""
    there = f" in {_files(report)}" if report.files == 1 else f"; {_files(report)}"
    if report.findings:
        verdict = f"{_found(report, new)}{there}"
    elif not report.files:
        verdict = "No file was judged"
    elif report.failures or _left_out(report):
        verdict = f"Found no {new}problem{there}"
    else:
        verdict = f"All clear: {_files(report)}{_silent(report, rules)}"
    suppressed = f"{count(report.suppressed, 'problem')} ignored by comments" if report.suppressed else ""
    if asides := list(filter(None, (fixable(report.findings), *_left_out(report), suppressed))):
        verdict += f" ({'; '.join(asides)})"
    if report.failures:
        verdict += "; not everything could be judged" if report.files or report.findings else ""
        verdict += f": {count(len(report.failures), 'failure')}"
    fixed = f"Fixed {count(report.fixed, 'problem')}. " if report.fixed else ""
    ignored = f"Added ignore comments for {count(report.ignored, 'problem')}. " if report.ignored else ""
    return f"{fixed}{ignored}{verdict}."


def _silent(report: Report, rules: int) -> str:
    """How many rules found nothing, where that is so and they had anything to look at."""
    if not (rules and report.training) or report.suppressed or report.ignored:
        return ""
    return f", and none of {count(rules, 'rule')} found anything"


def _found(report: Report, new: str) -> str:
    """As in "Found 2 problems", and "Found 18 problems at 44 places" where one change cures several findings."""
    from trainlint.report.groups import groups_of  # a clean report has none

    groups, places = len(groups_of(report)), len(report.findings)
    return f"Found {count(groups, f'{new}problem')}" + (f" at {places} places" if places > groups else "")


def _files(report: Report) -> str:
    """How many files were judged, and how many of them hold code of training steps."""
    code = report.files - report.settings
    if not code:
        return f"{count(report.settings, 'file')} of settings"
    if report.files == 1:
        return "1 file, which trains" if report.in_step else "1 file, which does not train"
    holds = "holds" if report.settings == 1 else "hold"
    settings = f", {report.settings} more {holds} settings" if report.settings else ""
    if not report.in_step:
        return f"none of {count(code, 'file')} trains{settings}"
    return f"{report.in_step} of {count(code, 'file')} {'trains' if report.in_step == 1 else 'train'}{settings}"


def _left_out(report: Report) -> list[str]:
    """How many findings are not listed because they are not new or not asked for, and why."""
    compared, words = report.compared, list[str]()
    if compared is not None and compared.known:
        words.append(f"{len(compared.known)} in the baseline, see --no-baseline")
    if compared is not None and compared.outside:
        words.append(f"{compared.outside} not touched by what changed since {quoted(str(compared.base))}")
    if report.left_out:
        words.append(f"{report.left_out} left out")
    return words


def enumerated(items: Iterable[str]) -> str:
    """As in "a, b and c"; each item once. Raises ValueError where there is none."""
    *most, last = dict.fromkeys(items)
    return f"{', '.join(most)} and {last}" if most else last
