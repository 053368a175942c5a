"""Reads a label set: labelled lines, exhaustively labelled files, commits that mended a defect, and the repositories.

The format is described in this package's README.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from benchmarks.accuracy.json_files import BadFile, choice, each, line_number, objects, read_json, read_json_lines, text
from benchmarks.accuracy.vocabulary import ISSUES

if TYPE_CHECKING:
    from pathlib import Path

FILE_SCOPE_LINES = 40
"""How far from a file-scope label a finding may stand."""
SLACK_LINES = 1
"""How far outside the labelled statement a finding may stand."""


class Verdict(Enum):
    """What a labeller said of a line."""

    DEFECT = "tp"
    LOOKALIKE = "trap"
    """Looks like the defect and must stay silent."""


class Scope(Enum):
    """How much code shows whether the label is right, which decides where a finding may stand."""

    LINE = "line"
    FILE = "file"
    """Something is missing or said once for the whole file: the finding may stand some way off."""
    INTERPROC = "interproc"
    """Only who calls the function tells."""


class Confidence(Enum):
    """How sure the labeller was."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Label:
    """One line of real code and what is to be said of it."""

    repo: str
    path: str
    line: int
    issue: str
    verdict: Verdict
    kind: str
    why: str
    confidence: Confidence
    scope: Scope
    line_sha1: str
    first_line: int
    """The labelled statement's first line."""
    last_line: int
    """The labelled statement's last line, included."""
    group: str | None = None
    """Labels of one group are several lines of one defect."""

    @property
    def defect(self) -> str:
        """What counts once: the group, or this very label."""
        return self.group or f"{self.repo}:{self.path}:{self.line}:{self.issue}"

    def distance(self, line: int) -> int | None:
        """How many lines outside the labelled statement `line` lies; None where it is too far to match."""
        away = max(self.first_line - line, line - self.last_line, 0)
        if away <= SLACK_LINES:
            return away
        near = self.scope is Scope.FILE and abs(line - self.line) <= FILE_SCOPE_LINES
        return away if near else None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file as it was at a commit."""

    sha: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class MendedLine:
    """A line whose defect the maintainers mended: to be flagged before, to be left alone after."""

    repo: str
    issue: str
    message: str
    before: Place
    after: Place | None
    """None where the line was removed: nothing is left to be wrong about."""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Everything that one run is scored against."""

    commits: tuple[tuple[str, str], ...]
    """Repository and the commit that its clone must be at."""
    labels: tuple[Label, ...]
    exhaustive: frozenset[tuple[str, str]]
    """Repository and path of the files in which every line with an issue is labelled."""
    mended: tuple[MendedLine, ...]

    @property
    def files(self) -> frozenset[tuple[str, str]]:
        """Repository and path of every file whose judgement enters the figures."""
        return self.exhaustive | {(label.repo, label.path) for label in self.labels}


def read_labels(directory: Path, *, mended: bool = True) -> LabelSet:
    """Read labels.jsonl, exhaustive.json, fixes.jsonl and repos.json of a directory.

    Only commits of line scope are taken from fixes.jsonl: the others need more than the file itself. Without `mended`,
    that file is not read and need not be there.
    Raises BadFile where a file is missing, a value is wrong, or a commit differs from that in repos.json.
    """
    path = directory / "repos.json"
    commits = dict(each(path, objects(path, read_json(path)), lambda item: (text(item, "repo"), text(item, "commit"))))
    if not commits:
        raise BadFile(f"{path} lists no repository")

    def repo(item: Mapping[str, object]) -> str:
        name, commit = text(item, "repo"), item.get("commit", commits.get(text(item, "repo")))
        if commits.get(name) != commit or commit is None:
            raise ValueError(f"{name} at {commit} is not in repos.json")
        return name

    path = directory / "labels.jsonl"
    labels = each(path, read_json_lines(path), lambda item: _label(repo(item), item))
    path = directory / "exhaustive.json"
    listing = read_json(path)
    files = listing.get("files") if isinstance(listing, dict) else None
    exhaustive = each(path, objects(path, files), lambda item: (repo(item), text(item, "path")))
    fixes = _read_mended(directory / "fixes.jsonl", repo) if mended else []
    return LabelSet(tuple(commits.items()), tuple(labels), frozenset(exhaustive), tuple(fixes))


def _read_mended(path: Path, repo: Callable[[Mapping[str, object]], str]) -> list[MendedLine]:
    by_line = ((number, item) for number, item in read_json_lines(path) if item.get("scope") == Scope.LINE.value)
    return each(path, by_line, lambda item: _mended(repo(item), item))


def _label(repo: str, item: Mapping[str, object]) -> Label:
    line = line_number(item, "line")
    first, last = line, line
    statement = item.get("stmt")
    if statement is not None:
        if not (isinstance(statement, list) and len(statement) == 2 and all(type(end) is int for end in statement)):
            raise ValueError('"stmt" is not a pair of lines')
        # A decorator or a comment belongs to no statement of its own: there the line itself is what was labelled.
        if statement[0] <= line <= statement[1]:
            first, last = statement
    group = item.get("group")
    return Label(
        repo=repo,
        path=text(item, "path"),
        line=line,
        issue=_issue(item),
        verdict=choice(item, "verdict", Verdict),
        kind=text(item, "kind"),
        why=text(item, "why"),
        confidence=choice(item, "confidence", Confidence),
        scope=choice(item, "scope", Scope),
        line_sha1=text(item, "line_sha1"),
        first_line=first,
        last_line=last,
        group=None if group is None else str(group),
    )


def _mended(repo: str, item: Mapping[str, object]) -> MendedLine:
    path = text(item, "path")
    before_path = text(item, "before_path") if "before_path" in item else path
    after = None
    if item.get("after_line") is not None:
        after = Place(text(item, "after_sha"), path, line_number(item, "after_line"))
    return MendedLine(
        repo=repo,
        issue=_issue(item),
        message=text(item, "message"),
        before=Place(text(item, "before_sha"), before_path, line_number(item, "before_line")),
        after=after,
    )


def _issue(item: Mapping[str, object]) -> str:
    issue = text(item, "issue")
    if issue not in ISSUES:
        raise ValueError(f'the issue "{issue}" is not in the vocabulary')
    return issue
