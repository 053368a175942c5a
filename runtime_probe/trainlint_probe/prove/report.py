"""The proof for people, as a short table, and for programs, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from trainlint import __version__
from trainlint.evidence.as_json import to_json
from trainlint.report.characters import sentence
from trainlint.report.settings import Style
from trainlint.report.terminal import as_written, sentences
from trainlint_probe.prove.proof import shown
from trainlint_probe.prove.result import Answer, Figure, LineChange, Proof
from trainlint_probe.report.words import full, place_text
from trainlint_probe.wording.units import span

FORMAT_VERSION = 1
"""Raised when a key of the document changes its meaning or goes away."""
_MOST = 10
"""Lines whose waits or copies changed, of which a terminal shows no more."""
_LOOKS = {Answer.SAME: "bold green", Answer.CHANGED: "bold red", Answer.UNKNOWN: "bold yellow"}
_HEADS = {Answer.SAME: "The training is unchanged", Answer.CHANGED: "The training changes", Answer.UNKNOWN: "Not known"}


def document(proof: Proof, exit_code: int) -> str:
    """The proof as JSON, ending with a line feed. Pure ASCII, so that any stream takes it."""
    head = {"format_version": FORMAT_VERSION, "trainlint_version": __version__, "exit_code": exit_code}
    return json.dumps({**head, **to_json(proof)}, indent=2) + "\n"


def render(proof: Proof, style: Style) -> str:
    """The proof for a terminal; its last line is for a commit message."""
    return as_written([line for text, look in _said(proof) for line in sentences(text, style, look)], style) + (
        f"\n{sentence(proof.message, unicode=style.unicode)}\n"
    )


def _said(proof: Proof) -> Iterator[tuple[str, str]]:
    yield f"Before: {proof.before}. After: {proof.after}.", "bold"
    model = "Counts are exact; times come from a model, none was measured. "
    model = model if proof.device.startswith("simulated") else ""
    yield f"{model}{proof.steps} steps on {proof.device}.", "dim"
    yield "", ""
    yield from ((line, "") for line in _table(proof))
    yield "", ""
    yield full(f"{_HEADS[proof.training.answer]}: {proof.training.sentence}"), _LOOKS[proof.training.answer]
    for words in proof.worse:
        yield full(f"Worse: {words}"), "bold red"
    for change in proof.lines[:_MOST]:
        yield _line(change), ""
    if len(proof.lines) > _MOST:
        yield f"and {len(proof.lines) - _MOST} more lines; `--output-format json` has all", "dim"
    for note in proof.notes:
        yield f"note: {note}", "dim"


def _table(proof: Proof) -> Iterator[str]:
    counted = [figure for figure in proof.figures if (figure.before, figure.after) != (None, None)]
    missing = [figure.name for figure in proof.figures if figure not in counted]
    rows = [("", "before", "after"), *map(_row, counted)]
    if proof.step_ms_before is not None or proof.step_ms_after is not None:
        old, new = (span(each) if each else "unknown" for each in (proof.step_ms_before, proof.step_ms_after))
        rows.append(("time of a step", old, new))
    else:
        missing.append("time of a step")
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    if len(rows) > 1:
        yield from (f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}" for row in rows)
    if missing:
        yield f"Not counted on {proof.device}: {', '.join(missing)}."


def _row(figure: Figure) -> tuple[str, str, str]:
    name = f"{figure.name} a step" if figure.unit.endswith("a step") else figure.name
    return name, shown(figure, figure.before), shown(figure, figure.after)


def _line(change: LineChange) -> str:
    how = "vanished" if not change.after else "appeared" if not change.before else "changed"
    kind = "wait" if change.kind == "wait" else change.kind
    counts = f"{change.before:.3g} → {change.after:.3g} a step"
    version = f" ({change.only} the change)" if change.only else ""
    return f"{how}: {kind} at {place_text(change.at)}{version}, {change.what}, {counts}"
