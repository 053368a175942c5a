"""A group of findings in the words of one: "10 reads in lines 305 to 315: each forces a GPU sync"."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from trainlint.finding import RelatedPlace
from trainlint.report.groups import Reason, first_code, lines_of, without_code
from trainlint.report.words import enumerated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainlint.finding import Finding, Fix
    from trainlint.report.groups import Group

_NOUNS = {
    "TRN201": "reads", "TRN202": "calls", "TRN203": "reads", "TRN205": "copies", "TRN207": "calls",
    "TRN208": "copies", "TRN209": "uses", "TRN210": "calls",
}  # fmt: skip
"""What the places of a rule are, where "places" says less."""
_MOST_LINES = 6
"""Lines that are named one by one."""
_LONGEST_READ = 60
"""Characters of an expression that a help repeats."""
_READ = ".item()"


def as_one(group: Group) -> Finding:
    """The group as one finding at the place of its first, to be shown; its id is that of the first."""
    first, *others = group.findings
    if not others:
        return first
    own = {(each.path, each.cell, each.span.start_line) for each in group.findings}
    related = dict.fromkeys(place for finding in group.findings for place in finding.related)
    return replace(
        first,
        message=_message(group),
        help=_help(group),
        confidence=max(finding.confidence for finding in group.findings),
        fix=fix_of(group.findings),
        related=tuple(place for place in related if (place.path, place.cell, place.line) not in own),
    )


def with_places(finding: Finding, group: Group) -> Finding:
    """A finding that names the other places of its group: the first all of them, each other the first."""
    others = group.findings[1:] if finding is group.first else group.findings[:1]
    if len(group.findings) == 1:
        return finding
    places = tuple(_place(other) for other in others)
    return replace(finding, related=(*finding.related, *(place for place in places if place not in finding.related)))


def lines_text(group: Group) -> str:
    """As in "line 8", "lines 305 to 315", "lines 5, 20 and 31", "cell 3, lines 5 and 6"."""
    lines = lines_of(group.findings)
    cell = f"cell {group.first.cell}, " if group.first.cell is not None else ""
    if len(lines) == 1:
        return f"{cell}line {lines[0]}"
    if Reason.SIDE_BY_SIDE in group.reasons and len(lines) > 2:
        return f"{cell}lines {lines[0]} to {lines[-1]}"
    named = [str(line) for line in lines[:_MOST_LINES]]
    rest = len(lines) - len(named)
    last = f"{rest} more" if rest else named.pop()
    return f"{cell}lines {', '.join(named)} and {last}"


def fix_of(findings: Sequence[Finding]) -> Fix | None:
    """What fixes all findings of a group, to be shown as one; the first one's fix where edits touch each other."""
    fixes = [finding.fix for finding in findings if finding.fix]
    if not fixes:
        return None
    edits = sorted({edit for fix in fixes for edit in fix.edits}, key=lambda edit: (edit.cell or 0, edit))
    if any(one.cell == other.cell and one.stop > other.start for one, other in pairwise(edits)):
        return fixes[0]
    return replace(fixes[0], edits=tuple(edits))


def _place(finding: Finding) -> RelatedPlace:
    span = finding.span
    return RelatedPlace(
        finding.path, span.start_line, span.start_column, f"{finding.code} of the same change", finding.cell
    )


def _message(group: Group) -> str:
    first, findings = group.first, group.findings
    codes = list(dict.fromkeys(first_code(finding.message) for finding in findings))
    said, code = first.message, codes[0]
    if len({without_code(finding.message) for finding in findings}) == 1 and len(codes) > 1 and code:
        if Reason.ONE_NAME in group.reasons:
            said += f"; so {'is' if len(codes) == 2 else 'are'} {enumerated(f'`{each}`' for each in codes[1:])}"
        else:
            said = f"each{said.removeprefix(f'`{code}`')}"
    noun = "uses" if Reason.ONE_NAME in group.reasons else _NOUNS.get(first.code, "places")
    return f"{len(findings)} {noun} in {lines_text(group)}: {said}"


def _help(group: Group) -> str:
    first, findings = group.first, group.findings
    if len({finding.help for finding in findings}) == 1:
        return first.help
    read = [first_code(finding.message).removesuffix(_READ) for finding in findings]
    if all(first_code(finding.message).endswith(_READ) for finding in findings):
        if len(set(read)) == 1:
            uses = "both uses" if len(findings) == 2 else f"all {len(findings)} uses"
            return f"read it once for {uses}; {first.help}" if first.help else ""
        return f"read all at once when you log: `torch.stack({_values(read)}).tolist()`"
    return first.help


def _values(read: Sequence[str]) -> str:
    """The list to be stacked, by its first expression; a name for it where that is too long, or cut already."""
    first = read[0]
    return f"[{first}, ...]" if len(first) <= _LONGEST_READ and "…" not in first else "values"
