"""What the code alone answers to a claim: likely, refuted or unknown, and never confirmed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainlint.analysis.types.values import Kind, Value
from trainlint.contract.confidence import level
from trainlint.explanation import Hiding, Line, Look, Verdict
from trainlint.finding import Confidence, Heat
from trainlint.report.why.value_words import value_words
from trainlint.report.words import runs
from trainlint.rule import IN_STEP
from trainlint.symptoms import Symptom
from trainlint_probe.judging.answers import Answer, State
from trainlint_probe.judging.claims import Claim
from trainlint_probe.judging.code_facts import CodeFacts
from trainlint_probe.judging.kinds import Kind as ClaimKind

_HOST = frozenset({Kind.ARRAY, Kind.NUMBER, Kind.SHAPE, Kind.STRING, Kind.NONE, Kind.DTYPE, Kind.DEVICE})
"""What never lies on a device."""


def answer_from_code(claim: Claim, kind: ClaimKind, rules: Collection[str], facts: CodeFacts) -> Answer:
    """What the code tells of a claim whose line holds code.

    Args:
        claim: the claim.
        kind: what it says of the line.
        rules: the codes of the rules that speak of this kind.
        facts: what is known of the file.
    """
    lines = _lines_of(claim, facts)
    looks = [look for line in lines for look in line.looks if look.code in rules]
    told = next((line for line in lines if line.heat is not None), None)
    chain = _chain_of(told)
    found = [verdict for look in looks for verdict in look.verdicts]
    codes = tuple(dict.fromkeys(verdict.finding.code for verdict in found))
    best = max(found, key=lambda verdict: verdict.finding.confidence, default=None)
    if best is not None and best.finding.confidence >= Confidence.LIKELY:
        return Answer(*claim.written, State.LIKELY, _reported(best), chain=best.finding.chain or chain, rules=codes)
    doubt = _doubt(kind, told, lines, looks)
    if doubt:
        return Answer(*claim.written, State.REFUTED, doubt, chain=chain, rules=codes)
    if best is not None:
        reason = f"it is {best.finding.confidence.label} only: {best.finding.code} says that {best.finding.message}"
        return Answer(*claim.written, State.UNKNOWN, reason, chain=best.finding.chain or chain, rules=codes)
    return Answer(*claim.written, State.UNKNOWN, _silence(kind, looks, told), chain=chain)


def _lines_of(claim: Claim, facts: CodeFacts) -> list[Line]:
    """The lines of the claimed statement of which something is known."""
    span = facts.spans[claim.line]
    return [facts.lines[number] for number in range(span.first, span.last + 1) if number in facts.lines]


def outside_of_steps(line: Line | None) -> str:
    """How often a line runs, where that is known and is not in each step; empty otherwise."""
    if line is None or line.heat is None or line.heat.heat is Heat.UNKNOWN:
        return ""
    facts = [line.heat, *([line.body] if line.body is not None else [])]
    if any(fact.heat in IN_STEP for fact in facts) or level(line.heat.confidence) < Confidence.CERTAIN:
        return ""
    return runs(line.heat.heat)


def _chain_of(line: Line | None) -> tuple[str, ...]:
    """The way from the training loop to a line."""
    return line.heat.chain if line is not None and line.heat is not None else ()


def _reported(verdict: Verdict) -> str:
    finding = verdict.finding
    comment = any(hidden.by is Hiding.COMMENT for hidden in verdict.hidden)
    return f"{finding.code} says that {finding.message}{'; a comment allows it' if comment else ''}"


def _doubt(kind: ClaimKind, told: Line | None, lines: Sequence[Line], looks: Sequence[Look]) -> str:
    """Why a claim is wrong by the code alone; empty where the code does not say so."""
    if kind.symptom is Symptom.EVALUATION_WITH_GRADIENTS and told is not None and told.gradients_off:
        return f"autograd is off there ({told.gradients_reason or 'by its callers'})"
    seldom = outside_of_steps(told) if kind.each_step else ""
    if seldom:
        return f"the line is not in a step: it {seldom}"
    if kind.symptom is Symptom.HOST_SYNC and looks:
        return _on_host([line for line in lines if line.values or line.unknown])
    return ""


def _on_host(lines: Sequence[Line]) -> str:
    """That all values that some lines use lie on the host; empty where that is not known."""
    facts = [fact for line in lines for fact in line.values]
    if not facts or any(line.unknown for line in lines) or not all(_is_on_host(fact.value) for fact in facts):
        return ""
    return f"the value lies on the CPU: {facts[0].text} is {value_words(facts[0].value)}"


def _is_on_host(value: Value) -> bool:
    return value.kind in _HOST and value.proved


def _silence(kind: ClaimKind, looks: Sequence[Look], told: Line | None) -> str:
    silent = next((look for look in looks if look.silence), None)
    if silent is not None:
        return f"{silent.code} looks at the line and reports nothing: {silent.silence}"
    if kind.each_step and told is not None and told.heat is not None and told.heat.heat is Heat.UNKNOWN:
        return "no rule reports it, and nothing is known of how often the line runs"
    return "no rule reports it"
