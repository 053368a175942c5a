"""Reads a label set: labelled lines, exhaustively labelled files, commits that mended a defect, and the repositories.

The format is described in this package's README.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from benchmarks.accuracy.vocabulary import ISSUES

if TYPE_CHECKING:
    from pathlib import Path

FILE_SCOPE_LINES = 40
"""How far from a file-scope label a finding may stand."""
SLACK_LINES = 1
"""How far outside the labelled statement a finding may stand."""

_Item: TypeAlias = dict[str, object]
_Record = TypeVar("_Record")


class BadLabels(Exception):
    """A label set that cannot be read or contradicts itself. The message names the file and the place in it."""


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


def read_labels(directory: Path) -> LabelSet:
    """Read labels.jsonl, exhaustive.json, fixes.jsonl and repos.json of a directory.

    Only commits of line scope are taken from fixes.jsonl: the others need more than the file itself.
    Raises BadLabels where a file is missing, a value is wrong, or a commit differs from that in repos.json.
    """
    path = directory / "repos.json"
    commits = dict(_each(path, _entries(path, _json(path)), lambda item: (_text(item, "repo"), _text(item, "commit"))))
    if not commits:
        raise BadLabels(f"{path} lists no repository")

    def repo(item: Mapping[str, object]) -> str:
        name, commit = _text(item, "repo"), item.get("commit", commits.get(_text(item, "repo")))
        if commits.get(name) != commit or commit is None:
            raise ValueError(f"{name} at {commit} is not in repos.json")
        return name

    path = directory / "labels.jsonl"
    labels = _each(path, _lines(path), lambda item: _label(repo(item), item))
    path = directory / "exhaustive.json"
    listing = _json(path)
    files = listing.get("files") if isinstance(listing, dict) else None
    exhaustive = _each(path, _entries(path, files), lambda item: (repo(item), _text(item, "path")))
    path = directory / "fixes.jsonl"
    by_line = ((number, item) for number, item in _lines(path) if item.get("scope") == Scope.LINE.value)
    mended = _each(path, by_line, lambda item: _mended(repo(item), item))
    return LabelSet(tuple(commits.items()), tuple(labels), frozenset(exhaustive), tuple(mended))


def _label(repo: str, item: Mapping[str, object]) -> Label:
    line = _number(item, "line")
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
        path=_text(item, "path"),
        line=line,
        issue=_issue(item),
        verdict=Verdict(item.get("verdict")),
        kind=_text(item, "kind"),
        why=_text(item, "why"),
        confidence=Confidence(item.get("confidence")),
        scope=Scope(item.get("scope")),
        line_sha1=_text(item, "line_sha1"),
        first_line=first,
        last_line=last,
        group=None if group is None else str(group),
    )


def _mended(repo: str, item: Mapping[str, object]) -> MendedLine:
    path = _text(item, "path")
    before_path = _text(item, "before_path") if "before_path" in item else path
    after = None
    if item.get("after_line") is not None:
        after = Place(_text(item, "after_sha"), path, _number(item, "after_line"))
    return MendedLine(
        repo=repo,
        issue=_issue(item),
        message=_text(item, "message"),
        before=Place(_text(item, "before_sha"), before_path, _number(item, "before_line")),
        after=after,
    )


def _issue(item: Mapping[str, object]) -> str:
    issue = _text(item, "issue")
    if issue not in ISSUES:
        raise ValueError(f'the issue "{issue}" is not in the vocabulary')
    return issue


def _text(item: Mapping[str, object], key: str) -> str:
    value = item.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f'"{key}" is missing or no text')
    return value


def _number(item: Mapping[str, object], key: str) -> int:
    value = item.get(key)
    if type(value) is not int or value < 1:
        raise ValueError(f'"{key}" is missing or no line number')
    return value


def _each(
    path: Path, items: Iterable[tuple[int, _Item]], read: Callable[[Mapping[str, object]], _Record]
) -> list[_Record]:
    return [_one(f"{path}, entry {number}", item, read) for number, item in items]


def _one(place: str, item: _Item, read: Callable[[Mapping[str, object]], _Record]) -> _Record:
    try:
        return read(item)
    except ValueError as error:
        raise BadLabels(f"{place}: {error}") from error


def _entries(path: Path, items: object) -> list[tuple[int, _Item]]:
    if not (isinstance(items, list) and all(isinstance(item, dict) for item in items)):
        raise BadLabels(f"{path} holds no list of objects where one is expected")
    return list(enumerate(items, 1))


def _lines(path: Path) -> list[tuple[int, _Item]]:
    lines = [(number, line) for number, line in enumerate(_read(path).split("\n"), 1) if line.strip()]
    items = [(number, _parse(f"{path}, line {number}", line)) for number, line in lines]
    _entries(path, [item for _, item in items])
    return [(number, item) for number, item in items if isinstance(item, dict)]


def _json(path: Path) -> object:
    return _parse(str(path), _read(path))


def _parse(place: str, text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadLabels(f"{place}: it is no JSON ({error})") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadLabels(f"{path} cannot be read ({error.strerror}); a label set needs it") from error
