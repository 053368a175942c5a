"""The rounds so far, as `rounds.json` holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy.json_files import BadFile, each, objects, read_json, text
from benchmarks.accuracy.labels import Scope
from benchmarks.accuracy.score import Share

ROUNDS = Path(__file__).resolve().parent.parent / "rounds.json"
"""Where the rounds of this project are listed."""
_INNERMOST = re.compile(r"\[[^\[\]{}]*\]|\{[^\[\]{}]*\}")
"""Lists and objects of the file that hold no others: each is written on one line."""
VERDICTS = ("right", "doubtful", "wrong")
"""What a reader can say of a message or of a fix, the worst last."""


@dataclass(frozen=True, slots=True)
class BlindFigures:
    """What the blind labels say of the one run."""

    recall: Share
    scopes: tuple[tuple[str, Share], ...]
    """Recall of each scope that has labelled defects."""
    lookalikes: Share
    """Look-alikes that were flagged, of all."""
    precision: Share
    """Right findings, of those in the exhaustively labelled files."""


class ReadRow(NamedTuple):
    """Messages of one rule in one repository, at one level of confidence."""

    code: str
    repo: str
    level: str
    right: int
    doubtful: int
    wrong: int


@dataclass(frozen=True, slots=True)
class ReadFigures:
    """What two readers say of default findings. Where they differ, the worse verdict counts."""

    rows: tuple[ReadRow, ...]
    """Messages by rule, repository and level."""
    fixes: tuple[int, int, int]
    """The same of their help and fix, where they have one."""
    agreed: Share
    """Messages of which both readers say the same."""
    kappa: float | None
    """Cohen's kappa of the two readers on messages; None where chance alone would make them agree."""
    below: tuple[ReadRow, ...] = ()
    """The same of findings that are not shown by default, for what the lower levels are worth."""

    @property
    def messages(self) -> tuple[int, int, int]:
        """Findings whose message is right, doubtful, wrong."""
        return added(self.rows)


@dataclass(frozen=True, slots=True)
class Round:
    """One first run on repositories that trainlint had never seen."""

    day: date
    commit: str
    """Of trainlint."""
    seed: int
    """With which the repositories were drawn."""
    repos: tuple[tuple[str, str], ...]
    """Repository and commit."""
    blind: BlindFigures
    read: ReadFigures | None
    """None where no findings were read."""


def added(rows: Iterable[ReadRow]) -> tuple[int, int, int]:
    """Messages that are right, doubtful and wrong in all of these rows."""
    right = doubtful = wrong = 0
    for row in rows:
        right, doubtful, wrong = right + row.right, doubtful + row.doubtful, wrong + row.wrong
    return right, doubtful, wrong


def read_rounds(path: Path) -> tuple[Round, ...]:
    """The rounds of a file. Raises BadFile with a sentence for each wrong entry."""
    listed = read_json(path)
    rounds = each(path, objects(path, listed.get("rounds") if isinstance(listed, dict) else None), _round)
    names = [name.lower() for name in used(rounds)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadFile(f"{path}: a repository counts once, and these are in two rounds: {', '.join(twice)}")
    return tuple(rounds)


def used(rounds: Iterable[Round]) -> tuple[str, ...]:
    """The repositories of all rounds."""
    return tuple(repo for each_round in rounds for repo, _ in each_round.repos)


def add_round(path: Path, new: Round) -> None:
    """Add a round to the file. Raises BadFile where one of its repositories is in an earlier round already."""
    rounds = read_rounds(path)
    known = {repo.lower() for repo in used(rounds)}
    again = [repo for repo, _ in new.repos if repo.lower() in known]
    if again:
        raise BadFile(
            f"{path} has a round with {', '.join(again)}: only the first run on a repository counts. "
            "Take the entry out by hand if it was a mistake."
        )
    listed = {"rounds": [as_data(each_round) for each_round in (*rounds, new)]}
    text = _INNERMOST.sub(
        lambda found: " ".join(found.group().split()), json.dumps(listed, indent=1, ensure_ascii=False)
    )
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def as_data(of: Round) -> dict[str, object]:
    """A round as `rounds.json` holds it. Shares are [part, whole]."""
    read = of.read and {
        "messages": [list(row) for row in of.read.rows],
        "fixes": list(of.read.fixes),
        "agreed": list(of.read.agreed),
        "kappa": of.read.kappa,
        "below": [list(row) for row in of.read.below],
    }
    return {
        "date": of.day.isoformat(),
        "commit": of.commit,
        "seed": of.seed,
        "repos": [{"repo": repo, "commit": commit} for repo, commit in of.repos],
        "blind": {
            "recall": list(of.blind.recall),
            "scopes": {scope: list(recall) for scope, recall in of.blind.scopes},
            "lookalikes": list(of.blind.lookalikes),
            "precision": list(of.blind.precision),
        },
        "read": read,
    }


def _round(item: Mapping[str, object]) -> Round:
    seed = item.get("seed")
    if type(seed) is not int:
        raise ValueError('"seed" is missing or no whole number')
    return Round(
        day=_day(text(item, "date")),
        commit=text(item, "commit"),
        seed=seed,
        repos=_repos(item.get("repos")),
        blind=_blind(_object(item, "blind")),
        read=None if item.get("read") is None else _read(_object(item, "read")),
    )


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise ValueError(f'"date" is "{value}" and no day such as 2026-01-31') from error


def _repos(items: object) -> tuple[tuple[str, str], ...]:
    if not (isinstance(items, list) and items and all(isinstance(item, dict) for item in items)):
        raise ValueError('"repos" is missing or no list of repositories')
    return tuple((text(item, "repo"), text(item, "commit")) for item in items)


def _blind(item: Mapping[str, object]) -> BlindFigures:
    scopes = _object(item, "scopes")
    unknown = set(scopes) - {scope.value for scope in Scope}
    if unknown:
        raise ValueError(f"there is no scope {', '.join(sorted(unknown))}")
    return BlindFigures(
        recall=_share(item, "recall"),
        scopes=tuple((scope, _share(scopes, scope)) for scope in scopes),
        lookalikes=_share(item, "lookalikes"),
        precision=_share(item, "precision"),
    )


def _read(item: Mapping[str, object]) -> ReadFigures:
    kappa = item.get("kappa")
    if kappa is not None and not (isinstance(kappa, float | int) and -1 <= kappa <= 1):
        raise ValueError('"kappa" is neither null nor a number from -1 to 1')
    below = _rows(item, "below") if "below" in item else ()
    return ReadFigures(_rows(item, "messages"), _verdicts(item, "fixes"), _share(item, "agreed"), kappa, below)


def _object(item: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = item.get(key)
    if not isinstance(value, dict):
        raise ValueError(f'"{key}" is missing or no object')
    return value


def _share(item: Mapping[str, object], key: str) -> Share:
    counts = _counts(item, key, 2)
    if counts[0] > counts[1]:
        raise ValueError(f'"{key}" counts {counts[0]} of {counts[1]}')
    return Share(*counts)


def _rows(item: Mapping[str, object], key: str) -> tuple[ReadRow, ...]:
    value = item.get(key)
    if not isinstance(value, list):
        raise ValueError(f'"{key}" is missing or no list of rows')
    if wrong := [row for row in value if not _is_row(row)]:
        raise ValueError(
            f'"{key}" has a row that is not rule, repository, level and {len(VERDICTS)} counts: {wrong[0]}'
        )
    return tuple(ReadRow(*row) for row in value)


def _is_row(row: object) -> bool:
    return (
        isinstance(row, list)
        and len(row) == len(ReadRow._fields)
        and all(isinstance(word, str) for word in row[:3])
        and all(type(count) is int and count >= 0 for count in row[3:])
    )


def _verdicts(item: Mapping[str, object], key: str) -> tuple[int, int, int]:
    right, doubtful, wrong = _counts(item, key, len(VERDICTS))
    return right, doubtful, wrong


def _counts(item: Mapping[str, object], key: str, how_many: int) -> list[int]:
    value = item.get(key)
    if not (isinstance(value, list) and len(value) == how_many and all(type(n) is int and n >= 0 for n in value)):
        raise ValueError(f'"{key}" is missing or no list of {how_many} counts')
    return value
