"""Why a rule's look at a place ended without a finding: the condition that ended it, and the values that decided.

Nothing is written down about any rule: the run is read back from the lines that were watched, the condition from the
rule's own source, and the words from the docstrings of what the condition asks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.types.values import Value
from trainlint.engine.why.answers import UNTOLD, Inquiry, assignment, deciding, value_of
from trainlint.engine.why.rule_source import RuleSource, rule_source
from trainlint.engine.why.tracing import Run, Step
from trainlint.explanation import Fact, Stop

_DEEPEST = 4
"""So many functions of a rule's module are followed, one called by the other."""
_MOST_ALTERNATIVES = 5


def stops(run: Run, site: Site) -> tuple[Stop, ...]:
    """The conditions that ended a run: that of `check` first, then those in the functions that it asked.

    Empty where the rule has no source at hand.
    """
    found = tuple(_Reader(site).ended(run, _DEEPEST))
    texts = {id(fact.value): fact.text for fact in reversed(list(_values(found)))}
    return tuple(_with_first_texts(stop, texts) for stop in found)


def _values(stops: Sequence[Stop]) -> Iterator[Fact]:
    return (fact for stop in stops for answer in stop.answers for fact in answer.facts if isinstance(fact.value, Value))


def _with_first_texts(stop: Stop, texts: Mapping[int, str]) -> Stop:
    """A value that one function hands to the next keeps the text that it had first, which is the user's."""
    answers = []
    for answer in stop.answers:
        facts = (replace(fact, text=texts.get(id(fact.value), fact.text)) for fact in answer.facts)
        answers.append(replace(answer, facts=tuple(facts)))
    return replace(stop, answers=tuple(answers))


@dataclass(frozen=True, slots=True)
class _Decision:
    """A condition that was looked at in a step of a run."""

    expression: ast.expr
    step: Step


@dataclass(frozen=True, slots=True)
class _Reader:
    site: Site

    def ended(self, run: Run, depth: int) -> Iterator[Stop]:
        """Why a run came to its end."""
        lines = rule_source(run.file)
        if lines is None or depth == 0:
            return
        decisions = _decisions(run, lines)
        for decision in decisions[-_MOST_ALTERNATIVES:]:
            yield self._stop(run, decision, lines)
        if len(decisions) == 1:
            for inner in _asked(run, decisions[0], lines):
                yield from self.ended(inner, depth - 1)
                return

    def _stop(self, run: Run, decision: _Decision, lines: RuleSource) -> Stop:
        outcome = value_of(decision.expression, run.names, decision.step.names)
        holds = None if outcome is UNTOLD or not _is_test(outcome) else bool(outcome)
        inquiry = Inquiry(run, decision.step, self.site, lines)
        parts = deciding(decision.expression, run.names, decision.step.names)
        return Stop(
            condition=lines.written(decision.expression),
            holds=holds,
            answers=tuple(map(inquiry.answer, parts)),
            function=run.function,
            path=_place(run),
            line=decision.expression.lineno,
        )


def _is_test(outcome: object) -> bool:
    """Whether an outcome says yes or no by itself; a generator, say, is true whatever it holds."""
    return not hasattr(outcome, "__next__")


def _place(run: Run) -> str:
    """Where the rule's module lies, from its top package on."""
    depth = str(run.names.get("__name__", "")).count(".")
    return "/".join(Path(run.file).parts[-depth - 1 :])


def _decisions(run: Run, lines: RuleSource) -> list[_Decision]:
    """The condition at which a run ended; several where the end was reached since none of them held."""
    steps = [(step, statement) for step in run.steps if (statement := lines.by_line.get(step.line)) is not None]
    while steps:
        step, statement = steps[-1]
        match statement:
            case ast.If():
                return _of_ifs(lines.with_those_above(statement), steps)
            case ast.While():
                return [_Decision(statement.test, step)]
            case ast.For() | ast.AsyncFor():
                if len(steps) == 1 or not _in_body(steps[-2][1], statement, lines):
                    return [_Decision(statement.iter, step)]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                return [_Decision(value, step)]
            case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
                return [_Decision(value, step)]
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                found = _guards(statement, steps, lines)
                if found:
                    return found
        steps.pop()
    return []


def _in_body(statement: ast.stmt, loop: ast.stmt, lines: RuleSource) -> bool:
    return statement is not loop and lines.is_within(statement, loop)


def _guards(statement: ast.stmt, steps: Sequence[tuple[Step, ast.stmt]], lines: RuleSource) -> list[_Decision]:
    """What led to an exit: the tests before it that all failed, or else the one that it stands under."""
    inner: ast.stmt | None = statement
    while inner is not None:
        failed = _of_ifs(lines.alternatives(inner), steps)
        if failed:
            return failed
        outer = lines.around(inner)
        if isinstance(outer, ast.If):
            return _of_ifs([outer], steps)
        if isinstance(outer, ast.For | ast.AsyncFor):
            return [_Decision(outer.iter, step) for step in [_last(outer, steps)] if step is not None]
        inner = outer
    return []


def _of_ifs(statements: Sequence[ast.If], steps: Sequence[tuple[Step, ast.stmt]]) -> list[_Decision]:
    return [
        _Decision(statement.test, step) for statement in statements if (step := _last(statement, steps)) is not None
    ]


def _last(statement: ast.stmt, steps: Sequence[tuple[Step, ast.stmt]]) -> Step | None:
    """The last time that a statement began."""
    return next((step for step, found in reversed(steps) if found is statement), None)


def _asked(run: Run, decision: _Decision, lines: RuleSource) -> Iterator[Run]:
    """The functions of the rule's module that decided a condition: called in it, or for a name in it."""
    for part in deciding(decision.expression, run.names, decision.step.names):
        yield from _called_in(part, decision.step)
        for name in (item for item in ast.walk(part) if isinstance(item, ast.Name)):
            assigned = assignment(run, name.id, decision.step, lines)
            if assigned is not None:
                yield from _called_in(assigned[0], assigned[1])


def _called_in(expression: ast.expr, step: Step) -> Iterator[Run]:
    names = {last_name(item.func) for item in ast.walk(expression) if isinstance(item, ast.Call)}
    for inner in reversed(step.inner):
        if inner.function in names:
            yield inner
