"""Answers as text, one line each, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from trainlint import __version__
from trainlint.evidence import Run
from trainlint.evidence_json import to_json
from trainlint.report.characters import json_without_commands, quoted, sentence, without_commands
from trainlint_probe.judging.answers import Answer, State

FORMAT_VERSION = 1
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""
_MOST_CALLS = 4
"""Lines of a chain that the text shows, the innermost."""


def as_text(answers: Sequence[Answer], note: str, *, unicode: bool) -> str:
    """One line for each claim, and one that counts them."""
    lines = [_line(answer, unicode=unicode) for answer in answers]
    counts = Counter(answer.state for answer in answers)
    told = ", ".join(f"{counts[state]} {state.value}" for state in State if counts[state])
    total = f"{len(answers)} claim{'' if len(answers) == 1 else 's'}: {told or 'none'}"
    lines += [sentence(part, unicode=unicode) for part in (f"{total}.", note) if part]
    return without_commands("".join(f"{line}\n" for line in lines))


def _line(answer: Answer, *, unicode: bool) -> str:
    claim = answer.claim
    place = f"{quoted(claim.path)}{f':{claim.line}' if claim.line else ''}" if claim.path else ""
    told = " ".join(word for word in (place, claim.kind) if word)
    text = ": ".join(word for word in (answer.state.value, told, answer.reason) if word)
    if answer.chain and answer.state is not State.INVALID:
        arrow = " → " if unicode else " -> "
        cut = "... " if len(answer.chain) > _MOST_CALLS else ""
        text += f" [{cut}{arrow.join(answer.chain[-_MOST_CALLS:])}]"
    return sentence(text, unicode=unicode)


def as_json(answers: Sequence[Answer], note: str, run: Run | None) -> str:
    """One object; each claim is answered by one of its `answers`, in their order."""
    counts = Counter(answer.state for answer in answers)
    document = {
        "format_version": FORMAT_VERSION,
        "trainlint_version": __version__,
        "run": _run(run),
        "note": note,
        "counts": {state.value: counts[state] for state in State},
        "answers": [_answer(answer) for answer in answers],
    }
    return json_without_commands(json.dumps(document, indent=2) + "\n")


def _run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "command": list(run.command),
        "outcome": run.outcome,
        "steps": len(run.steps),
        "device": run.device,
        "gpu": run.simulated.gpu if run.simulated is not None else None,
        "failure": run.failure,
    }


def _answer(answer: Answer) -> dict[str, Any]:
    claim = answer.claim
    return {
        "path": claim.path,
        "line": claim.line,
        "kind": claim.kind,
        "note": claim.note,
        "state": answer.state.value,
        "reason": answer.reason,
        "per_step": answer.per_step,
        "gain_ms": to_json(answer.cost) if answer.cost is not None else None,
        "chain": list(answer.chain),
        "rules": list(answer.rules),
        "basis": answer.basis,
    }
