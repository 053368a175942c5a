"""The answer of `trainlint why` with lines of notebooks counted in their cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.engine.calling_notebooks import CallingNotebooks
from trainlint.notebooks.places import finding_in_cells, span_in_cell, step_in_cells, words_in_cells

if TYPE_CHECKING:
    from trainlint.explanation import Explanation, Hidden, Line, Look, Verdict
    from trainlint.finding import Finding, HeatFact
    from trainlint.notebooks.cells import Cells


def explanation_in_cells(explanation: Explanation, cells: Cells | None) -> Explanation:
    """The answer as it is reported. `cells` are those of the file itself, where it is a notebook."""
    names = _Names(explanation.path, cells, CallingNotebooks())
    return replace(
        explanation,
        lines=tuple(map(names.line, explanation.lines)),
        nearby=tuple(map(names.finding, explanation.nearby)),
    )


@dataclass(frozen=True)
class _Names:
    path: str
    cells: Cells | None
    callers: CallingNotebooks

    def line(self, line: Line) -> Line:
        named = replace(
            line,
            heat=line.heat and self.heat(line.heat),
            body=line.body and self.heat(line.body),
            gradients_reason=line.gradients_reason and self.step(line.gradients_reason),
            looks=tuple(map(self.look, line.looks)),
            part_of=tuple(replace(part, finding=self.finding(part.finding)) for part in line.part_of),
        )
        if self.cells is None:
            return named
        cell, number = self.cells.at_line(line.number)
        return replace(named, cell=cell, number=number, text=self.cells.line_written(line.number))

    def heat(self, fact: HeatFact) -> HeatFact:
        return replace(fact, chain=tuple(map(self.step, fact.chain)))

    def step(self, step: str) -> str:
        return self.callers.step(step if self.cells is None else step_in_cells(step, self.path, self.cells))

    def finding(self, finding: Finding) -> Finding:
        return self.callers.finding(finding if self.cells is None else finding_in_cells(finding, self.cells))

    def look(self, look: Look) -> Look:
        verdicts = tuple(map(self.verdict, look.verdicts))
        if self.cells is None:
            return replace(look, verdicts=verdicts)
        silence = look.silence and words_in_cells(look.silence, self.cells)
        return replace(look, span=span_in_cell(look.span, self.cells)[1], verdicts=verdicts, silence=silence)

    def verdict(self, verdict: Verdict) -> Verdict:
        return replace(verdict, finding=self.finding(verdict.finding), hidden=tuple(map(self.hidden, verdict.hidden)))

    def hidden(self, hidden: Hidden) -> Hidden:
        if self.cells is None or hidden.line is None:
            return hidden
        cell, line = self.cells.at_line(hidden.line)
        return replace(hidden, cell=cell, line=line)
