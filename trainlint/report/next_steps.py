"""The end of a report for people: where to begin, and the commands that lead on."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from trainlint.finding import Report, Safety
from trainlint.report.characters import quoted, sentence
from trainlint.report.frame import ellipsis, row
from trainlint.report.groups import Group
from trainlint.report.one import as_one
from trainlint.report.settings import Settings, Style
from trainlint.report.words import count, line_name, without_frequency

MOST = 3
"""Groups that are named as the dearest."""
_COMMENT_AT = 44
"""The column of comments, where the commands are no longer."""
_LEAST = 20
"""Columns of a line even where the terminal is narrower."""
_EACH = {
    Safety.SAFE: ("--fix", "{}, training stays bit-identical"),
    Safety.NUMERICS: ("--diff --numeric-fixes", "{}, other rounding"),
    Safety.UNSAFE: ("--diff --unsafe-fixes", "{}, for your judgement"),
}


def end(report: Report, groups: Sequence[Group], settings: Settings) -> Iterator[Text]:
    """The dearest of the groups, where they are more than a few, and the commands that lead on."""
    if not groups or "-" in settings.paths:
        return
    if len(groups) > MOST:
        yield Text()
        is_measured = report.measured and report.measured.verdicts
        by = "in the run that was measured" if is_measured else "by rule and frequency"
        yield Text(f"Begin with these, the dearest {by}:", "bold")
        for number, (group, *alike) in enumerate(dearest(report, groups, settings), 1):
            yield in_a_line(f"  {number}. ", group, settings, alike=len(alike))
    yield Text()
    for command, comment in commands(report, groups, settings):
        yield _command(command, comment, settings)
    if not settings.verbose:
        yield _command(f"trainlint check --verbose{_words(settings.paths)}", "more code, and further places", settings)


def dearest(report: Report, groups: Sequence[Group], settings: Settings) -> Sequence[Sequence[Group]]:
    """The first groups by cost, whatever order they are shown in, each with all others that say the same."""
    if settings.by_path:
        from trainlint.report.groups import groups_of

        groups = groups_of(report)
    alike: dict[tuple[str, str], list[Group]] = {}
    for group in groups:
        alike.setdefault((group.first.code, as_one(group).message), []).append(group)
    return list(alike.values())[:MOST]


def commands(report: Report, groups: Sequence[Group], settings: Settings) -> Iterator[tuple[str, str]]:
    """Each command with what it does: those that apply fixes, and one each for `why`, `prove` and `baseline`."""
    paths = _words(settings.paths)
    levels = Counter(finding.fix.safety for finding in report.findings if finding.fix)
    for safety, (flags, words) in _EACH.items():
        if number := levels[safety]:
            yield f"trainlint check {flags}{paths}", words.format(count(number, "place"))
    first = dearest(report, groups, settings)[0][0].first
    if first.cell is None:
        yield f"trainlint why {shlex.quote(first.path)}:{first.span.start_line}", "how trainlint knows it"
    yield "trainlint prove --against HEAD SCRIPT", "waits, time, losses of a change"
    if not (report.compared and report.compared.baselines):
        yield f"trainlint baseline{paths}", "from now on report what is new"


def _words(paths: Sequence[str]) -> str:
    return "".join(f" {shlex.quote(path)}" for path in paths)


def in_a_line(before: str, group: Group, settings: Settings, *, alike: int = 0) -> Text:
    """A group in one line, cropped; `alike` are the others that say the same."""
    finding = as_one(group)
    at = f"{quoted(finding.path)}:{line_name(finding.span.start_line, finding.cell).removeprefix('line ')}"
    at += f" and {alike} more:" if alike else ""
    return cropped(f"{before}{at} {finding.code} {without_frequency(finding)}", settings.style)


def cropped(text: str, style: Style) -> Text:
    """A line, cropped to the width of the terminal."""
    line = row(sentence(text, unicode=style.unicode), style)
    return Text(line.cropped(max(style.width, _LEAST), ellipsis(style)))


def _command(command: str, comment: str, settings: Settings) -> Text:
    """The command, and where there is room a comment of the shell."""
    text = Text.assemble("  ", (sentence(command, unicode=settings.style.unicode), "cyan"))
    said = f"{' ' * (_COMMENT_AT - text.cell_len)}  # {comment}"
    return text.append(said, "dim") if text.cell_len + len(said) <= settings.style.width else text
