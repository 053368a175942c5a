"""Puts claims, the code and a run together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trainlint.catalogue import RuleEntry
from trainlint_probe.judging.answers import Answer, State
from trainlint_probe.judging.claims import Claim
from trainlint_probe.judging.code_facts import CodeFacts
from trainlint_probe.judging.from_code import answer_from_code
from trainlint_probe.judging.from_run import answer_from_run
from trainlint_probe.judging.kinds import Kind, kind_named
from trainlint_probe.judging.run_facts import RunFacts

_LONGEST = 40
"""Characters of a kind that is not known, as it is told."""


def lines_wanted(claims: Sequence[Claim]) -> dict[str, set[int]]:
    """The files that claims name, and their lines."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for claim in claims:
        if not claim.fault:
            wanted[claim.path].add(claim.line)
    return dict(wanted)


def judged(
    claims: Sequence[Claim],
    facts: Mapping[str, CodeFacts],
    installed: Sequence[RuleEntry],
    run: RunFacts | None,
    changed: Mapping[str, str],
) -> tuple[Answer, ...]:
    """The answers, in the order of the claims.

    Args:
        claims: the claims.
        facts: what the code tells, by the path that claims name.
        installed: all rules.
        run: what a run counted; None without one, or where it took no step.
        changed: files that the run says nothing of, by the same path, each with the reason.
    """
    rules = {name: rule for rule in installed for name in (rule.code, rule.name)}
    codes: dict[Kind, frozenset[str]] = {}
    answers = []
    for claim in claims:
        kind = kind_named(claim.kind, rules)
        fault = claim.fault or _fault(claim, kind, facts[claim.path])
        if fault or kind is None:
            answers.append(Answer(*claim.written, State.INVALID, fault, basis=""))
            continue
        if kind not in codes:
            codes[kind] = frozenset(rule.code for rule in installed if kind.is_told_by(rule))
        answer = answer_from_code(claim, kind, codes[kind], facts[claim.path])
        if run is not None and claim.path in changed:
            answer = replace(answer, reason=f"{answer.reason}; {changed[claim.path]}")
        elif run is not None:
            answer = answer_from_run(answer, kind, facts[claim.path], run)
        answers.append(answer)
    return tuple(answers)


def _fault(claim: Claim, kind: Kind | None, facts: CodeFacts) -> str:
    """Why a claim cannot be judged as it was written; empty where it can."""
    if facts.fault:
        return facts.fault
    if claim.line > facts.count:
        return f"the file has {facts.count} line{'' if facts.count == 1 else 's'}"
    if claim.line not in facts.spans:
        return "no statement stands on this line"
    if kind is None:
        return f"{claim.kind[:_LONGEST]!r} is no kind of claim; `trainlint judge --help` lists them"
    return ""
