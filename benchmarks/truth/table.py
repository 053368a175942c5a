"""The figures as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.truth.compare import Found, JudgedFlag, Outcome, TrueFact, TrueLine
from benchmarks.truth.record import ENVIRONMENT_STEP, STEP
from benchmarks.truth.results import Library

_MOST = 10
"""Rows of lists that could be long."""


def as_markdown(libraries: Sequence[Library], not_run: Mapping[str, str] | None = None) -> str:
    """All tables.

    Args:
        libraries: what was compared. Misses are listed of those for development alone.
        not_run: scripts that came to nothing, and why.
    """
    missed = [
        line
        for library in libraries
        for line in library.found.lines
        if library.is_development and line.found is not Found.BY_DEFAULT
    ]
    sections = [
        *_of_lines(libraries),
        _of_environment_steps(libraries),
        _of_findings([item for library in libraries for item in library.found.judged]),
        _of_facts(libraries),
        _of_growth(libraries),
        _of_libraries(libraries),
        _of_reasons(missed),
        _of_costly([line for line in missed if line.found is Found.NOT]),
        _of_failures(not_run or {}),
    ]
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def summary(libraries: Sequence[Library]) -> tuple[str, str, str, str]:
    """How many lines, how many of these by default and at any level, and how many findings are confirmed."""
    lines = [line for line, _ in _lines(libraries, STEP)]
    judged = [item for library in libraries for item in library.found.judged]
    right = sum(item.outcome is Outcome.CONFIRMED for item in judged)
    return (str(len(lines)), *_found(lines), share(right, len(judged)))


def _lines(libraries: Sequence[Library], unit: str) -> list[tuple[TrueLine, Library]]:
    return [(line, library) for library in libraries for line in library.found.lines if line.unit == unit]


def _of_lines(libraries: Sequence[Library]) -> Iterator[Iterator[str]]:
    lines = _lines(libraries, STEP)
    yield _table_of_lines("lines that wait or copy in each step", lines, lambda line, library: "all")
    yield _table_of_lines("by kind of event", lines, lambda line, library: line.kind)
    yield _table_of_lines("by field", lines, lambda line, library: library.field)
    yield _table_of_lines("by half", lines, lambda line, library: _half(library))


def _of_environment_steps(libraries: Sequence[Library]) -> Iterator[str]:
    lines = _lines(libraries, ENVIRONMENT_STEP)
    if lines:
        title = "lines that wait or copy in each step of an environment"
        yield from _table_of_lines(title, lines, lambda line, library: library.name)


def _table_of_lines(
    title: str, lines: Sequence[tuple[TrueLine, Library]], key: Callable[[TrueLine, Library], str]
) -> Iterator[str]:
    yield f"| {title} | lines | by default | at any level | events a step | by default | at any level |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    parts: dict[str, list[TrueLine]] = {}
    for line, library in lines:
        parts.setdefault(key(line, library), []).append(line)
    for name, part in sorted(parts.items(), key=lambda item: (-len(item[1]), item[0])):
        events = sum(line.per_step for line in part)
        yield f"| {name} | {len(part)} | {' | '.join(_found(part))} | {events:.0f} | {' | '.join(_weighted(part))} |"


def _of_findings(judged: Sequence[JudgedFlag]) -> Iterator[str]:
    yield f"| default findings on lines that ran | findings | {' | '.join(outcome.value for outcome in Outcome)} |"
    yield f"| --- | ---: |{' ---: |' * len(Outcome)}"
    yield _judged_row("all", judged)
    for code in sorted({item.flag.code for item in judged}):
        yield _judged_row(code, [item for item in judged if item.flag.code == code])


def _of_facts(libraries: Sequence[Library]) -> Iterator[str]:
    facts = [fact for library in libraries for fact in library.found.facts]
    if not facts:
        return
    yield "| other facts | lines | by default | at any level |"
    yield "| --- | ---: | ---: | ---: |"
    for symptom in sorted({fact.symptom for fact in facts}):
        part = [fact for fact in facts if fact.symptom == symptom]
        yield f"| {symptom} | {len(part)} | {' | '.join(_found(part))} |"


def _of_growth(libraries: Sequence[Library]) -> Iterator[str]:
    grown = {library.name: library.found.growth for library in libraries if library.found.growth}
    if grown:
        yield "| memory that grows in each step | bytes a step |"
        yield "| --- | ---: |"
        yield from (f"| {name} | {size} |" for name, size in sorted(grown.items()))


def _of_libraries(libraries: Sequence[Library]) -> Iterator[str]:
    yield "| library | half | lines | by default | at any level | findings confirmed |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for library in sorted(libraries, key=lambda library: library.name):
        lines = [line for line in library.found.lines if line.unit == STEP]
        right = sum(item.outcome is Outcome.CONFIRMED for item in library.found.judged)
        found = " | ".join(_found(lines))
        yield (
            f"| {library.name} {next(iter(library.versions.values()), '')} | {_half(library)} | {len(lines)} | {found} "
            f"| {right} of {len(library.found.judged)} |"
        )


def _of_reasons(missed: Sequence[TrueLine]) -> Iterator[str]:
    reasons: dict[str, list[TrueLine]] = {}
    for line in missed:
        if line.reason:
            reasons.setdefault(line.reason, []).append(line)
    if not reasons:
        return
    yield "| why no default finding names it (development) | lines | events a step |"
    yield "| --- | ---: | ---: |"
    for reason, lines in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))[:_MOST]:
        yield f"| {reason} | {len(lines)} | {sum(line.per_step for line in lines):.3g} |"


def _of_costly(lines: Sequence[TrueLine]) -> Iterator[str]:
    if not lines:
        return
    yield "| the most costly lines that no rule names (development) | events a step | of which | why |"
    yield "| --- | ---: | --- | --- |"
    for line in sorted(lines, key=lambda line: (-line.per_step, line.path, line.line))[:_MOST]:
        unit = "" if line.unit == STEP else f" (by {line.unit})"
        yield f"| `{line.path}:{line.line}`{unit} | {line.per_step:.3g} | {line.kind} (`{line.what}`) | {line.reason} |"


def _of_failures(not_run: Mapping[str, str]) -> Iterator[str]:
    if not_run:
        yield from ("Not run:", "", *(f"- {name}: {why}" for name, why in sorted(not_run.items())))


def _half(library: Library) -> str:
    return "development" if library.is_development else "only counted"


def _found(lines: Sequence[TrueLine | TrueFact]) -> tuple[str, str]:
    """How many are named by default, and at any level."""
    default = sum(line.found is Found.BY_DEFAULT for line in lines)
    return share(default, len(lines)), share(sum(line.found is not Found.NOT for line in lines), len(lines))


def _weighted(lines: Sequence[TrueLine]) -> tuple[str, str]:
    """The shares of events of these lines."""
    events = sum(line.per_step for line in lines)
    default = sum(line.per_step for line in lines if line.found is Found.BY_DEFAULT)
    named = sum(line.per_step for line in lines if line.found is not Found.NOT)
    return f"{default / events:.0%}", f"{named / events:.0%}"


def _judged_row(name: str, judged: Sequence[JudgedFlag]) -> str:
    counts = Counter(item.outcome for item in judged)
    return f"| {name} | {len(judged)} | {' | '.join(str(counts[outcome]) for outcome in Outcome)} |"


def share(part: int, whole: int) -> str:
    """As in "12 (41%)"."""
    return f"{part} ({part / whole:.0%})" if whole else str(part)
