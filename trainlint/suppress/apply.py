"""Silences findings by ignore comments, and finds the comments that silence nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.suppress.hint import may_hold_directives

if TYPE_CHECKING:
    import ast

    from trainlint.catalogue import AnyRule, InstalledRule
    from trainlint.finding import Finding
    from trainlint.source import SourceFile


NONE: Mapping[str, Sequence[str]] = {}


@dataclass(frozen=True, slots=True)
class Suppression:
    """What is left to tell after the ignore comments of a file had their say."""

    findings: tuple[Finding, ...]
    """The findings that no comment silences, and those about comments, in their stable order."""
    suppressed: int
    """How many findings comments silenced."""


def suppress(
    source: SourceFile,
    findings: Sequence[Finding],
    rules: Sequence[InstalledRule],
    known: Sequence[AnyRule] | None = None,
    tree: ast.Module | None = None,
    *,
    elsewhere: Mapping[str, Sequence[str]] = NONE,
    leaving: Collection[int] = (),
) -> Suppression:
    """Drop the findings that ignore comments silence; add TRN002 and TRN003 for comments that silence nothing.

    `rules` are those that ran on this file without a failure; `known` are all that are installed. A code is unused
    only if its rules ran, and unknown only if no installed rule has it: without `known` no code is called unknown, and
    comments that silence several rules are not called unused. `tree` is the file's, where it is at hand: it saves time.
    `elsewhere` are comments at calls in other files, by "path:line", with their words (none for all rules).
    `leaving` are lines whose comments may silence findings in other files, and which are therefore not called unused.

    Hand over findings of every confidence: a comment that silences a doubtful one is not unused.
    """
    if not elsewhere and not may_hold_directives(source.text):
        return Suppression(_in_order(findings), 0)
    # Most files have no such comment, and need none of these modules.
    from trainlint.suppress.comment_findings import CommentFindings
    from trainlint.suppress.comments import read_comments
    from trainlint.suppress.entries import UNUSED_IGNORE, vocabulary
    from trainlint.suppress.silencer import Silencer

    words = vocabulary(known, rules)
    comments = read_comments(source, words.is_rule, tree)
    entries = [entry for directive in comments.directives for entry in words.entries(directive)]
    silencer = Silencer(comments, entries, elsewhere, words.codes)
    silencer.mark_used(leaving)
    kept = silencer.unsilenced(findings)
    about_comments = CommentFindings(source, words, {rule.code: rule for rule in rules})
    kept += silencer.unsilenced(about_comments.unknown(entries))
    # An unused `TRN002` can be told only when all else that is unused has been.
    others = [entry for entry in entries if entry.codes != {UNUSED_IGNORE}]
    kept += silencer.unsilenced(about_comments.unused(others, silencer.used))
    kept += about_comments.unused((entry for entry in entries if entry.codes == {UNUSED_IGNORE}), silencer.used)
    return Suppression(_in_order(kept), silencer.count)


def silencing_lines(
    source: SourceFile,
    findings: Iterable[Finding],
    rules: Sequence[InstalledRule],
    known: Sequence[AnyRule] | None = None,
) -> dict[Finding, int]:
    """For each finding that an ignore comment silences, the line of the first such comment."""
    if not may_hold_directives(source.text):
        return {}
    from trainlint.suppress.comments import read_comments
    from trainlint.suppress.entries import vocabulary
    from trainlint.suppress.silencer import Silencer

    words = vocabulary(known, rules)
    comments = read_comments(source, words.is_rule)
    entries = [entry for directive in comments.directives for entry in words.entries(directive)]
    silencer = Silencer(comments, entries, NONE, words.codes)
    found = ((finding, silencer.silencing(finding)) for finding in findings)
    return {finding: min(entry.directive.line for entry in entries) for finding, entries in found if entries}


def ignored_lines(source: SourceFile, tree: ast.Module, lines: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Of some lines, those whose statement has an ignore comment, with the words of the comment (none: all rules).

    Such comments silence findings that are elsewhere, so a bare `# noqa`, which other linters take too, is none.
    """
    if not may_hold_directives(source.text):
        return {}
    from trainlint.suppress.comments import read_comments

    lines = tuple(lines)
    comments = read_comments(source, lambda word: "-" in word, tree, lines)  # installed rules are not known yet
    found: dict[int, tuple[str, ...]] = {}
    for directive in comments.directives:
        if not directive.whole_file and not directive.is_bare_noqa:
            words = None if directive.words is None else tuple(word.text for word in directive.words)
            statement = comments.statement(directive.line)
            if words is None:
                found[statement] = ()
            elif words and found.get(statement) != ():
                found[statement] = (*found.get(statement, ()), *words)
    return {line: words for line in lines if (words := found.get(comments.statement(line))) is not None}


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.order))
