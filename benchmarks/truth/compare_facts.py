"""Facts besides waits and copies against the findings of the rules that speak of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from benchmarks.truth.compare import (
    FEWEST_STEPS,
    IN_EACH_STEP,
    Comparison,
    Flag,
    Found,
    JudgedFlag,
    Outcome,
    TrueFact,
    found_by,
)
from benchmarks.truth.record import STEP, UNUSED_GRAPH, Fact, Record
from trainlint.symptoms import Symptom

_ONCE_IS_ENOUGH = Symptom.EVALUATION_WITH_GRADIENTS.value
"""Evaluations come between the steps."""
_NEEDS_RANKS = Symptom.COLLECTIVE.value
"""Where no rank is met, nothing is refuted; and a collective by itself is no waste, so none is missed."""
JUDGED = (_ONCE_IS_ENOUGH, Symptom.GARBAGE_COLLECTION.value, _NEEDS_RANKS)
"""The symptoms that runs record as facts."""


def with_facts(
    found: Comparison, records: Sequence[Record], flags: Sequence[Flag], codes: Mapping[str, frozenset[str]]
) -> Comparison:
    """The comparison of waits and copies, with that of facts.

    Args:
        found: the former.
        records: the runs of a library.
        flags: findings at every level.
        codes: symptom → the rules that speak of it.
    """
    judged = (*found.judged, *_judged(records, flags, codes))
    growth = max((record.growth for record in records if record.steps >= FEWEST_STEPS), default=0)
    return replace(found, judged=judged, facts=tuple(_facts(records, flags, codes)), growth=growth)


def _facts(records: Iterable[Record], flags: Sequence[Flag], codes: Mapping[str, frozenset[str]]) -> list[TrueFact]:
    """The innermost lines of the library at which a fact holds, and whether trainlint names one on the way there."""
    speaking = {symptom: [flag for flag in flags if flag.code in each] for symptom, each in codes.items()}
    found: dict[tuple[str, str, int], Found] = {}
    for fact, share in _steady(records):
        if fact.symptom in codes and fact.symptom != _NEEDS_RANKS and _holds(fact, share):
            key = (fact.symptom, *fact.lines[0])
            named = [found_by(path, line, speaking[fact.symptom]) for path, line in fact.lines]
            found[key] = min([*named, found.get(key, Found.NOT)], key=list(Found).index)
    return [TrueFact(*key, each) for key, each in sorted(found.items())]


def _judged(records: Sequence[Record], flags: Iterable[Flag], codes: Mapping[str, frozenset[str]]) -> list[JudgedFlag]:
    """What the facts say of default findings on lines that ran."""
    executed: dict[str, set[int]] = defaultdict(set)
    for record in records:
        for path, lines in record.executed.items():
            executed[path].update(lines)
    steady = _steady(records)
    judged = []
    for symptom, of_symptom in codes.items():
        # A graph that nothing trains is what rules about evaluation speak of; the other way round, it is no evaluation.
        shown = {symptom, UNUSED_GRAPH} if symptom == _ONCE_IS_ENOUGH else {symptom}
        facts = [(fact, share) for fact, share in steady if fact.symptom in shown]
        for flag in flags:
            ran = not executed.get(flag.path, set()).isdisjoint(range(flag.first, flag.last + 1))
            if flag.is_default and flag.code in of_symptom and ran and (facts or symptom != _NEEDS_RANKS):
                judged.append(JudgedFlag(flag, _outcome(flag, facts)))
    return judged


def _steady(records: Iterable[Record]) -> list[tuple[Fact, float]]:
    """Each fact of the runs that are long enough, and the share of steps in which it holds."""
    return [
        (fact, len(fact.steps) / record.steps)
        for record in records
        if record.steps >= FEWEST_STEPS and record.unit == STEP
        for fact in record.facts
    ]


def _holds(fact: Fact, share: float) -> bool:
    return fact.symptom in (_ONCE_IS_ENOUGH, UNUSED_GRAPH) or share >= IN_EACH_STEP


def _outcome(flag: Flag, facts: Iterable[tuple[Fact, float]]) -> Outcome:
    at = [
        _holds(fact, share)
        for fact, share in facts
        if any(path == flag.path and flag.first <= line <= flag.last for path, line in fact.lines)
    ]
    return Outcome.CONFIRMED if any(at) else Outcome.RARER if at else Outcome.REFUTED
