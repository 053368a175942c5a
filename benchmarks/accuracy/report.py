"""A score as text, as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.accuracy.score import (
    Figures,
    Judged,
    Mended,
    Score,
    Share,
    by_issue,
    by_label,
    by_scope,
    figures,
    recall_at_findings,
)
from benchmarks.accuracy.tables import listing, share, table
from benchmarks.accuracy.vocabulary import ISSUES

if TYPE_CHECKING:
    from benchmarks.accuracy.labels import Label, MendedLine

_COLUMNS = ("recall", "look-alikes hit", "strict precision")

LineText = Callable[[str, str, int], str]
"""The text of a line: repository, path, line number."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a run found out, ready to print."""

    score: Score
    covered: frozenset[str]
    """Issues that the rules there are can find."""
    unscored: Mapping[str, int]
    """How many findings there were of each rule that stands for no issue."""
    not_judged: Sequence[tuple[str, str]] = ()
    """Files outside the label set that trainlint could not judge, with the reason."""

    @property
    def headline(self) -> Score:
        """The score on the covered issues."""
        return self.score.of(self.covered)


_Table = tuple[str, Sequence[str], list[tuple[str, ...]]]
"""A title, the names of columns, and rows."""


def as_text(outcome: Outcome, line_text: LineText, *, markdown: bool = False, misses: bool = False) -> str:
    """The figures as tables; with `misses` also each miss, look-alike hit and false alarm with its line."""
    parts = [table(title, header, rows, markdown=markdown) for title, header, rows in _tables(outcome) if rows]
    lists = _lists(outcome, line_text) if misses else []
    if outcome.unscored:
        found = [f"{code}: {count}" for code, count in sorted(outcome.unscored.items())]
        lists.append(("Findings of rules that no label speaks of", found))
    if outcome.not_judged:
        lists.append(("Not judged, without labels", [f"{path}: {reason}" for path, reason in outcome.not_judged]))
    parts += [listing(title, entries, markdown=markdown) for title, entries in lists]
    return "\n\n".join(parts) + "\n"


def _tables(outcome: Outcome) -> list[_Table]:
    present = [issue for issue in ISSUES if issue in outcome.covered]
    return [
        (
            f"Covered issues ({len(present)} of {len(ISSUES)})",
            ("scope", *_COLUMNS),
            [
                _row("all", figures(outcome.headline)),
                _row_without_related(outcome.headline),
                *(_label_row(scope, each) for scope, each in by_scope(outcome.headline).items()),
            ],
        ),
        (
            f"Every issue ({len(ISSUES)})",
            ("scope", *_COLUMNS),
            [
                _row("all", figures(outcome.score)),
                _row_without_related(outcome.score),
                *(_label_row(scope, each) for scope, each in by_scope(outcome.score).items()),
            ],
        ),
        ("Commits that mended a defect", ("issues", "flagged before", "silent after", "both"), _mended_rows(outcome)),
        (
            "By issue",
            ("issue", *_COLUMNS, "covered"),
            [
                (*_row(issue, each), "yes" if issue in outcome.covered else "no")
                for issue, each in by_issue(outcome.score, ISSUES).items()
            ],
        ),
        (
            "By kind",
            ("issue: kind", *_COLUMNS[:2]),
            [_label_row(kind, each)[:3] for kind, each in by_label(outcome.headline, _kind).items()],
        ),
    ]


def as_data(outcome: Outcome, line_text: LineText) -> dict[str, object]:
    """The same as plain data for JSON. Shares are [part, whole]."""

    def place(label: Label) -> dict[str, object]:
        text = line_text(label.repo, label.path, label.line)
        place = {"repo": label.repo, "path": label.path, "line": label.line, "text": text}
        return {**place, "issue": label.issue, "kind": label.kind, "scope": label.scope.value, "why": label.why}

    def cut(part: Score) -> dict[str, object]:
        scopes = {scope: _figures_data(each) for scope, each in by_scope(part).items()}
        without_related = list(recall_at_findings(part))
        return {**_figures_data(figures(part)), "recall_without_related_places": without_related, "scopes": scopes}

    headline = outcome.headline
    return {
        "covered_issues": [issue for issue in ISSUES if issue in outcome.covered],
        "covered": cut(headline),
        "all": cut(outcome.score),
        "issues": {issue: _figures_data(each) for issue, each in by_issue(outcome.score, ISSUES).items()},
        "kinds": {kind: _figures_data(each) for kind, each in by_label(outcome.score, _kind).items()},
        "misses": [place(each.label) for each in outcome.score.misses],
        "lookalikes_hit": [
            {**place(each.label), "codes": sorted({flag.code for flag in each.flags})}
            for each in outcome.score.hit_lookalikes
        ],
        "false_alarms": [
            {
                "repo": each.flag.repo,
                "path": each.flag.path,
                "line": each.flag.line,
                "text": line_text(each.flag.repo, each.flag.path, each.flag.line),
                "code": each.flag.code,
                "issue": each.issue,
                "message": each.flag.message,
                "lookalike": each.lookalike.kind if each.lookalike else None,
            }
            for each in outcome.score.false_alarms
        ],
        "mended": [
            {
                "repo": each.line.repo,
                "issue": each.line.issue,
                "before": f"{each.line.before.sha}:{each.line.before.path}:{each.line.before.line}",
                "after": _after(each.line),
                "flagged_before": each.flagged_before,
                "silent_after": each.silent_after,
            }
            for each in outcome.score.mended
        ],
        "unscored_findings": dict(sorted(outcome.unscored.items())),
        "not_judged": [{"path": path, "reason": reason} for path, reason in outcome.not_judged],
    }


def _kind(label: Label) -> str:
    return f"{label.issue}: {label.kind}"


def _after(line: MendedLine) -> str | None:
    return f"{line.after.sha}:{line.after.path}:{line.after.line}" if line.after else None


def _figures_data(of: Figures) -> dict[str, object]:
    return {"recall": list(of.recall), "lookalikes": list(of.lookalikes), "precision": list(of.precision)}


def _mended_rows(outcome: Outcome) -> list[tuple[str, ...]]:
    parts = (("covered", outcome.headline.mended), ("every", outcome.score.mended))
    return [(name, *mended_shares(mended)) for name, mended in parts if mended]


def mended_shares(mended: Sequence[Mended]) -> tuple[str, str, str]:
    """Of the mended lines, those flagged before the commit, silent after it, and both."""
    # A removed line cannot be flagged after: it would only sweeten the middle figure.
    standing = [each for each in mended if each.line.after is not None]
    return (
        share(Share(sum(each.flagged_before for each in mended), len(mended))),
        share(Share(sum(each.silent_after for each in standing), len(standing))),
        share(Share(sum(each.flagged_before and each.silent_after for each in mended), len(mended))),
    )


def _lists(outcome: Outcome, line_text: LineText) -> list[tuple[str, list[str]]]:
    def labelled(each: Judged) -> str:
        label = each.label
        said = "".join(f" [{code}]" for code in sorted({flag.code for flag in each.flags}))
        about = f"{label.issue}: {label.kind}, {label.scope.value}{said} ({label.why})"
        return _entry(label.repo, label.path, label.line, about, line_text)

    headline = outcome.headline
    uncovered = outcome.score.of(frozenset(ISSUES) - outcome.covered)
    alarms = [
        _entry(
            each.flag.repo,
            each.flag.path,
            each.flag.line,
            f"{each.flag.code} {each.issue}" + (f", look-alike: {each.lookalike.kind}" if each.lookalike else ""),
            line_text,
        )
        for each in headline.false_alarms
    ]
    mended = [
        f"{each.line.repo} {place.sha[:12]}:{place.path}:{place.line} {each.line.issue}: {said} ({each.line.message})"
        for each in headline.mended
        for place, wrong, said in (
            (each.line.before, not each.flagged_before, "not flagged before"),
            (each.line.after, not each.silent_after, "flagged after"),
        )
        if wrong and place is not None
    ]
    lists = [
        ("Missed", [labelled(each) for each in headline.misses]),
        ("Look-alikes hit", [labelled(each) for each in headline.hit_lookalikes]),
        ("False alarms in exhaustively labelled files", alarms),
        ("Mended lines judged wrongly", mended),
        ("Missed for want of a rule", [labelled(each) for each in uncovered.misses]),
    ]
    return [(f"{title} ({len(entries)})", entries) for title, entries in lists if entries]


def _entry(repo: str, path: str, line: int, about: str, line_text: LineText) -> str:
    return f"{repo} {path}:{line} {about}\n    {line_text(repo, path, line)}"


def _row(name: str, of: Figures) -> tuple[str, ...]:
    return (*_label_row(name, of)[:3], share(of.precision))


def _row_without_related(of: Score) -> tuple[str, ...]:
    return ("without related places", share(recall_at_findings(of)), "", "")


def _label_row(name: str, of: Figures) -> tuple[str, ...]:
    return (name, share(of.recall), share(of.lookalikes), "")
