"""What was compared, of each library, as data and as JSON; and what differs between two of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.truth.compare import Comparison, Flag, Found, JudgedFlag, Outcome, TrueFact, TrueLine


@dataclass(frozen=True, slots=True)
class Library:
    """A library and what its runs and trainlint say."""

    name: str
    """The package whose lines count."""
    versions: Mapping[str, str]
    """Of PyTorch and of what pip installed for it."""
    field: str
    """As in "vision"."""
    is_development: bool
    """Whether its misses may be looked at."""
    found: Comparison


def as_data(libraries: Iterable[Library]) -> dict[str, Any]:
    """JSON's own types, by library."""
    return {
        library.name: {
            "versions": dict(library.versions),
            "field": library.field,
            "is_development": library.is_development,
            "lines": [{**asdict(line), "found": line.found.value} for line in library.found.lines],
            "facts": [{**asdict(fact), "found": fact.found.value} for fact in library.found.facts],
            "growth": library.found.growth,
            "judged": [{**asdict(item.flag), "outcome": item.outcome.value} for item in library.found.judged],
        }
        for library in sorted(libraries, key=lambda library: library.name)
    }


def from_data(data: Mapping[str, Any]) -> tuple[Library, ...]:
    """What `as_data` made."""
    return tuple(_library(name, **each) for name, each in data.items())


def _library(
    name: str, lines: Sequence[Any], judged: Sequence[Any], facts: Sequence[Any], growth: int, **rest: Any
) -> Library:
    true = (TrueLine(**{**each, "found": Found(each["found"]), "codes": tuple(each["codes"])}) for each in lines)
    verdicts = (({**each}, Outcome(each["outcome"])) for each in judged)
    flags = tuple(JudgedFlag(Flag(**_without(each, "outcome")), outcome) for each, outcome in verdicts)
    others = tuple(TrueFact(**{**each, "found": Found(each["found"])}) for each in facts)
    return Library(name, found=Comparison(tuple(true), flags, others, growth), **rest)


def _without(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def without_places(library: Library) -> Library:
    """The same without the lines of a library whose misses are not to be looked at: what is published of it."""
    if library.is_development:
        return library
    lines = tuple(replace(line, path="", line=0, what="", reason="") for line in library.found.lines)
    judged = (replace(item, flag=replace(item.flag, path="", first=0, last=0)) for item in library.found.judged)
    facts = (replace(fact, path="", line=0) for fact in library.found.facts)
    return replace(library, found=replace(library.found, lines=lines, judged=tuple(judged), facts=tuple(facts)))


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What differs between two results of `as_data`, a line each: lines that are named otherwise, and verdicts."""
    told = []
    for package in sorted({*before, *after}):
        for part, field in (("lines", "found"), ("facts", "found"), ("judged", "outcome")):
            old, new = (_by_place(data.get(package, {}).get(part, ()), field) for data in (before, after))
            told += [
                f"{package} {' '.join(place)}: {old.get(place, 'absent')} → {new.get(place, 'absent')}"
                for place in sorted({*old, *new})
                if old.get(place) != new.get(place)
            ]
    return told


def _by_place(items: Iterable[Mapping[str, Any]], field: str) -> dict[tuple[str, str], str]:
    return {(f"{item['path']}:{item.get('line', item.get('first'))}", _of(item)): item[field] for item in items}


def _of(item: Mapping[str, Any]) -> str:
    """What tells two items of one line apart."""
    return next(str(item[key]) for key in ("code", "unit", "symptom") if key in item)
