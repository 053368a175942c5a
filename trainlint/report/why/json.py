"""`trainlint why` for programs: one JSON object, described in docs/why.md and schema/why.schema.json."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainlint import __version__
from trainlint.baseline.identity import Identities
from trainlint.report.formats.json import finding_object, span_object
from trainlint.report.why.value_words import value_words

if TYPE_CHECKING:
    from trainlint.analysis.types.values import Value
    from trainlint.explanation import Explanation, Fact, Line, Look, Verdict
    from trainlint.finding import HeatFact
    from trainlint.report.settings import Sources

FORMAT_VERSION = 3
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""


def render(explanation: Explanation, sources: Sources) -> str:
    """The whole answer. Pure ASCII, so that any stream takes it."""
    identities = Identities(sources)
    document = {
        "format_version": FORMAT_VERSION,
        "trainlint_version": __version__,
        "path": explanation.path,
        "first_line": explanation.first,
        "last_line": explanation.last,
        "min_confidence": explanation.min_confidence.label,
        "missing_words": list(explanation.missing_words),
        "lines": [_line(line, identities) for line in explanation.lines],
        "nearest_findings": [finding_object(finding, identities) for finding in explanation.nearby],
    }
    return json.dumps(document, indent=2) + "\n"


def _line(line: Line, identities: Identities) -> dict[str, Any]:
    return {
        "cell": line.cell,
        "line": line.number,
        "text": line.text,
        "function": line.function,
        "heat": _heat(line.heat) if line.heat else None,
        "body_heat": _heat(line.body) if line.body else None,
        "autograd": None if line.heat is None else {"off": line.gradients_off, "reason": line.gradients_reason},
        "values": [_fact(fact) for fact in line.values],
        "unknown": list(line.unknown),
        "rules": [_look(look, identities) for look in line.looks],
        "part_of": [
            {"finding": finding_object(part.finding, identities), "message": part.message} for part in line.part_of
        ],
    }


def _heat(fact: HeatFact) -> dict[str, Any]:
    return {"heat": fact.heat.value, "confidence": round(fact.confidence, 2), "chain": list(fact.chain)}


def _value(value: Value) -> dict[str, Any]:
    tensor = value.is_tensor
    return {
        "kind": value.kind.name.lower(),
        "origin": value.origin.name.lower() if tensor else None,
        "proved": value.proved,
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"text": fact.text, "words": value_words(fact.value), "value": _value(fact.value)}


def _look(look: Look, identities: Identities) -> dict[str, Any]:
    return {
        "code": look.code,
        "name": look.name,
        "span": span_object(look.span),
        "text": look.text,
        "off": look.off.value if look.off else None,
        "answer": "crashed" if look.failure else "reported" if look.verdicts else "silent",
        "findings": [_verdict(verdict, identities) for verdict in look.verdicts],
        "silence": look.silence,
        "failure": look.failure,
    }


def _verdict(verdict: Verdict, identities: Identities) -> dict[str, Any]:
    return {
        "finding": finding_object(verdict.finding, identities),
        "shown": not verdict.hidden,
        "hidden": [{"by": hidden.by.value, "cell": hidden.cell, "line": hidden.line} for hidden in verdict.hidden],
    }
