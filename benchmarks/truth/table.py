"""The figures as Markdown and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.truth.compare import Comparison, Found, JudgedFlag, Outcome, TrueLine


def as_markdown(
    by_package: Mapping[str, Comparison],
    kinds: Mapping[str, str],
    development: frozenset[str],
    not_run: Mapping[str, str],
) -> str:
    """All tables.

    Args:
        by_package: what was compared.
        kinds: of each package, as in "vision".
        development: the packages whose misses may be looked at; lines of the others are only counted.
        not_run: scripts that came to nothing, and why.
    """
    lines = [(package, line) for package, found in by_package.items() for line in found.lines]
    return "\n".join(
        [
            *_of_lines(lines, kinds, development),
            *_of_findings([item for found in by_package.values() for item in found.judged]),
            *_of_libraries(by_package, development),
            *_not_named([line for package, line in lines if package in development]),
            *(["", "Not run:", "", *(f"- {name}: {why}" for name, why in sorted(not_run.items()))] if not_run else ()),
            "",
        ]
    )


def _of_lines(
    lines: Sequence[tuple[str, TrueLine]], kinds: Mapping[str, str], development: frozenset[str]
) -> Iterator[str]:
    yield "| lines that wait or copy in each step | lines | by default | at any level | by events: by default |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    yield _row("all", [line for _, line in lines])
    yield from _rows(lines, lambda package, line: line.kind)
    yield from _rows(lines, lambda package, line: f"{kinds[package]} (field)")
    halves = {True: "development half", False: "half that is only counted"}
    yield from _rows(lines, lambda package, line: halves[package in development])


def _of_findings(judged: Sequence[JudgedFlag]) -> Iterator[str]:
    yield from ("", "| default findings on lines that ran | findings | confirmed | rarer | refuted |")
    yield "| --- | ---: | ---: | ---: | ---: |"
    yield _judged_row("all", judged)
    for code in sorted({item.flag.code for item in judged}):
        yield _judged_row(code, [item for item in judged if item.flag.code == code])


def _of_libraries(by_package: Mapping[str, Comparison], development: frozenset[str]) -> Iterator[str]:
    yield from ("", "| library | half | lines | by default | at any level | confirmed of judged |")
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for package, found in sorted(by_package.items()):
        yield _package_row(package, found, package in development)


def _not_named(lines: Sequence[TrueLine]) -> Iterator[str]:
    missed = [line for line in lines if line.found is Found.NOT]
    yield from ("", "The ten most frequent lines of the development half that no rule names:", "")
    for line in sorted(missed, key=lambda line: (-line.per_step, line.path, line.line))[:10]:
        yield f"- `{line.path}:{line.line}`: {line.per_step:.3g} a step, {line.kind} (`{line.what}`)"


def as_data(by_package: Mapping[str, Comparison]) -> dict[str, Any]:
    """JSON's own types, by package."""
    return {
        package: {
            "lines": [{**asdict(line), "found": line.found.value} for line in found.lines],
            "judged": [{**asdict(item.flag), "outcome": item.outcome.value} for item in found.judged],
        }
        for package, found in sorted(by_package.items())
    }


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What differs between two results of `as_data`, a line each: lines that are named otherwise, and verdicts."""
    told = []
    for package in sorted({*before, *after}):
        for part, field in (("lines", "found"), ("judged", "outcome")):
            old, new = (_by_place(data.get(package, {}).get(part, ()), field) for data in (before, after))
            told += [
                f"{package} {' '.join(map(str, place))}: {old.get(place, 'absent')} → {new.get(place, 'absent')}"
                for place in sorted({*old, *new})
                if old.get(place) != new.get(place)
            ]
    return told


def _by_place(items: Iterable[Mapping[str, Any]], field: str) -> dict[tuple[str, str], str]:
    return {
        (f"{item['path']}:{item.get('line', item.get('first'))}", item.get("code", "")): item[field] for item in items
    }


def _rows(lines: Sequence[tuple[str, TrueLine]], key: Callable[[str, TrueLine], str]) -> list[str]:
    parts: dict[str, list[TrueLine]] = {}
    for package, line in lines:
        parts.setdefault(key(package, line), []).append(line)
    return [_row(name, part) for name, part in sorted(parts.items(), key=lambda item: (-len(item[1]), item[0]))]


def _row(name: str, lines: Sequence[TrueLine]) -> str:
    default = [line for line in lines if line.found is Found.BY_DEFAULT]
    named = [line for line in lines if line.found is not Found.NOT]
    events = sum(line.per_step for line in lines)
    weighted = sum(line.per_step for line in default)
    shares = (_share(len(default), len(lines)), _share(len(named), len(lines)), _share(weighted, events))
    return f"| {name} | {len(lines)} | {' | '.join(shares)} |"


def _judged_row(name: str, judged: Sequence[JudgedFlag]) -> str:
    counts = Counter(item.outcome for item in judged)
    return f"| {name} | {len(judged)} | {' | '.join(str(counts[outcome]) for outcome in Outcome)} |"


def _package_row(package: str, found: Comparison, is_development: bool) -> str:
    default = sum(line.found is Found.BY_DEFAULT for line in found.lines)
    named = sum(line.found is not Found.NOT for line in found.lines)
    confirmed = sum(item.outcome is Outcome.CONFIRMED for item in found.judged)
    half = "development" if is_development else "counted"
    return f"| {package} | {half} | {len(found.lines)} | {default} | {named} | {confirmed} of {len(found.judged)} |"


def _share(part: float, whole: float) -> str:
    """As in "12 (41%)"."""
    number = f"{part:g}" if isinstance(part, int) else f"{part:.0f}"
    return f"{number} ({part / whole:.0%})" if whole else number
