"""Two filled reading forms, side by side: where the readers agree, and what share of the findings is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.accuracy.json_files import BadFile, each, line_number, objects, read_json, text
from benchmarks.accuracy.rounds.reading_form import NOT_ASKED
from benchmarks.accuracy.rounds.record import VERDICTS, ReadFigures, ReadRow
from benchmarks.accuracy.score import Share

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader says of one finding."""

    repo: str
    path: str
    line: int
    code: str
    confidence: str
    said: str
    """The message that was judged."""
    message: str
    """The verdict on it."""
    fix: str
    """The verdict on help and fix; "none" where the finding has neither."""
    note: str = ""

    @property
    def finding(self) -> tuple[str, str, int, str, str]:
        """What two readings of one finding have in common."""
        return (self.repo, self.path, self.line, self.code, self.said)


@dataclass(frozen=True, slots=True)
class Form:
    """One filled form."""

    readings: tuple[Reading, ...]
    found: tuple[tuple[str, int], ...]
    """How many findings each rule had in all."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two readings of one finding."""

    first: Reading
    second: Reading

    @property
    def message(self) -> str:
        """The verdict on the message that counts: the worse one."""
        return _worse(self.first.message, self.second.message)

    @property
    def fix(self) -> str:
        """The verdict on help and fix that counts: the worse one."""
        return _worse(self.first.fix, self.second.fix)


def read_form(path: Path) -> Form:
    """A filled form. Raises BadFile with a sentence for each entry without a verdict."""
    filled = read_json(path)
    if not isinstance(filled, dict):
        raise BadFile(f"{path} is no reading form")
    found = filled.get("found")
    if not (isinstance(found, dict) and all(type(count) is int for count in found.values())):
        raise BadFile(f'{path} is no reading form: "found" is missing')
    readings = each(path, objects(path, filled.get("findings")), _reading)
    return Form(tuple(readings), tuple(found.items()))


def pairs(first: Form, second: Form) -> tuple[Pair, ...]:
    """The two readings of each finding. Raises BadFile where the forms are not about the same findings."""
    if [reading.finding for reading in first.readings] != [reading.finding for reading in second.readings]:
        raise BadFile("the two forms list different findings, or in another order: both must be copies of one form")
    if first.found != second.found:
        raise BadFile('the two forms differ in "found": both must be copies of one form')
    return tuple(map(Pair, first.readings, second.readings))


def read_figures(of: Sequence[Pair], below: Sequence[Pair] = ()) -> ReadFigures:
    """The figures of a round: of default findings, and of those `below` the default level, if any were read."""
    return ReadFigures(
        rows=_rows(of),
        fixes=_counts(pair.fix for pair in of),
        agreed=agreed(of, lambda reading: reading.message),
        kappa=kappa(of, lambda reading: reading.message),
        below=_rows(below),
    )


def agreed(of: Sequence[Pair], verdict: Callable[[Reading], str]) -> Share:
    """Findings of which both readers say the same."""
    return Share(sum(verdict(pair.first) == verdict(pair.second) for pair in of), len(of))


def kappa(of: Sequence[Pair], verdict: Callable[[Reading], str]) -> float | None:
    """Cohen's kappa: how far two readers agree beyond chance, 1 being always.

    None where both give one and the same verdict throughout, or there is nothing to read: chance explains it all.
    """
    if not of:
        return None
    first, second = Counter(verdict(pair.first) for pair in of), Counter(verdict(pair.second) for pair in of)
    by_chance = sum(first[name] * second[name] for name in first) / len(of) ** 2
    observed = agreed(of, verdict).part / len(of)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def right(of: Sequence[Pair], verdict: Callable[[Pair], str]) -> Share:
    """Findings that both readers call right, of those that have a verdict."""
    judged = [verdict(pair) for pair in of if verdict(pair) != NOT_ASKED]
    return Share(judged.count("right"), len(judged))


def weighted_right(of: Sequence[Pair], found: Mapping[str, int]) -> float | None:
    """The share of right messages if each rule weighs as much as it has findings; None where nothing was read.

    The draw takes rare rules as often as common ones, so the plain share is not that of all findings. Rules of which
    nothing was read weigh nothing.
    """
    by_rule = {code: right([p for p in of if p.first.code == code], lambda pair: pair.message) for code in found}
    read = {code: share.value for code, share in by_rule.items() if share.value is not None}
    whole = sum(found[code] for code in read)
    return sum(found[code] * value for code, value in read.items()) / whole if whole else None


def _reading(item: Mapping[str, object]) -> Reading:
    fix_verdicts = VERDICTS if item.get("help") or item.get("fix") else (NOT_ASKED,)
    return Reading(
        repo=text(item, "repo"),
        path=text(item, "path"),
        line=line_number(item, "line"),
        code=text(item, "code"),
        confidence=text(item, "confidence"),
        said=text(item, "message"),
        message=_verdict(item, "message_verdict", VERDICTS),
        fix=_verdict(item, "fix_verdict", fix_verdicts),
        note=str(item.get("note") or ""),
    )


def _verdict(item: Mapping[str, object], key: str, known: Sequence[str]) -> str:
    value = item.get(key)
    if value not in known:
        raise ValueError(f'"{key}" is {value!r} and must be one of: {", ".join(known)}')
    return str(value)


def _worse(one: str, other: str) -> str:
    return max(one, other, key=(NOT_ASKED, *VERDICTS).index)


def _rows(of: Sequence[Pair]) -> tuple[ReadRow, ...]:
    keys = sorted({(pair.first.code, pair.first.repo, pair.first.confidence) for pair in of})
    grouped: dict[tuple[str, str, str], list[str]] = {key: [] for key in keys}
    for pair in of:
        grouped[(pair.first.code, pair.first.repo, pair.first.confidence)].append(pair.message)
    return tuple(ReadRow(*key, *_counts(verdicts)) for key, verdicts in grouped.items())


def _counts(verdicts: Iterable[str]) -> tuple[int, int, int]:
    times = Counter(verdicts)
    good, doubtful, wrong = (times[name] for name in VERDICTS)
    return good, doubtful, wrong
