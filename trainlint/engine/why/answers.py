"""What a rule's condition asked, what came out, and on which facts, in words that the rule itself is written in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from types import FunctionType, MethodType

from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.analysis.syntax.names import root_name
from trainlint.analysis.syntax.written import written
from trainlint.analysis.types.values import Value
from trainlint.engine.why.rule_source import RuleSource
from trainlint.engine.why.tracing import Run, Step
from trainlint.explanation import Answer, Fact

UNTOLD = object()
"""Stands for a value that cannot be worked out again."""

_MOST_FACTS = 4
_FARTHEST = 2
"""So many assignments are followed back from a name in a condition."""
_SENTENCE_END = re.compile(r"[.;:](\s|$)")


def value_of(expression: ast.expr, module: Mapping[str, object], names: Mapping[str, object]) -> object:
    """What an expression of a rule is, with the names as they were; UNTOLD where asking again could answer otherwise.

    A rule stores nothing, so its questions may be asked again. Only what hands out its items once may not.
    """
    for part in ast.walk(expression):
        if isinstance(part, ast.Yield | ast.YieldFrom | ast.Await):
            return UNTOLD
        if isinstance(part, ast.Name) and hasattr(names.get(part.id), "__next__"):
            return UNTOLD
    try:
        # All names are handed over as global ones, because comprehensions do not see the locals of `eval`.
        return eval(compile(ast.Expression(expression), "<condition>", "eval"), {**module, **names})  # noqa: S307
    except Exception:  # noqa: BLE001  # an explanation that lacks a value is better than none
        return UNTOLD


def deciding(test: ast.expr, module: Mapping[str, object], names: Mapping[str, object]) -> list[ast.expr]:
    """The parts of a condition that made it come out as it did, without `not`: of `a and b`, the one that failed."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return deciding(test.operand, module, names)
    if isinstance(test, ast.BoolOp):
        settles = isinstance(test.op, ast.Or)
        for value in test.values:
            outcome = value_of(value, module, names)
            if outcome is UNTOLD:
                return [test]
            if bool(outcome) is settles:
                return deciding(value, module, names)
        return [part for value in test.values for part in deciding(value, module, names)]
    if isinstance(test, ast.IfExp):
        outcome = value_of(test.test, module, names)
        if outcome is not UNTOLD:
            chosen = test.body if outcome else test.orelse
            return deciding(test.test if isinstance(chosen, ast.Constant) else chosen, module, names)
    return [test]


def assignment(run: Run, name: str, before: Step, lines: RuleSource) -> tuple[ast.expr, Step] | None:
    """What a local name of a run was given last before a step, and the step that gave it."""
    for step in reversed(run.steps[: run.steps.index(before) + 1]):
        statement = lines.by_line.get(step.line)
        value = _given(statement, name) if statement is not None else None
        if value is not None and (step is not before or isinstance(statement, ast.If | ast.While)):
            return value, step
    return None


def _given(statement: ast.stmt, name: str) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            pairs = zip(targets, values, strict=True)
            return next((value for target, value in pairs if _binds(target, name)), None)
        case ast.Assign(targets=targets, value=value) if any(_binds(target, name) for target in targets):
            return value
        case ast.AnnAssign(target=target, value=value) | ast.For(target=target, iter=value) if _binds(target, name):
            return value
        case ast.If(test=test) | ast.While(test=test):
            walrus = (part for part in ast.walk(test) if isinstance(part, ast.NamedExpr) and part.target.id == name)
            return next((part.value for part in walrus), None)
    return None


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(target))


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Questions about one step of a run."""

    run: Run
    step: Step
    site: Site
    """What the rule was asked about."""
    lines: RuleSource

    def answer(self, part: ast.expr) -> Answer:
        """What a part of a condition asked and what came out."""
        asked = part.left if isinstance(part, ast.Compare) else part
        question = self.question(asked)
        words = self._words(self._value(asked)) if question else ""
        if not words:
            question, asked, words = "", part, self._words(self._value(part))
        told = self.lines.written(asked)
        facts = {fact.value: fact for fact in self.facts(part, _FARTHEST) if fact.text != told}
        return Answer(self.lines.written(part), question, words, tuple(facts.values())[:_MOST_FACTS])

    def _value(self, node: ast.expr) -> object:
        return value_of(node, self.run.names, self.step.names)

    def _earlier(self, name: str) -> tuple[ast.expr, Inquiry] | None:
        """What a name was given, and the inquiry about the step that gave it."""
        found = assignment(self.run, name, self.step, self.lines)
        return None if found is None else (found[0], Inquiry(self.run, found[1], self.site, self.lines))

    def question(self, node: ast.expr) -> str:
        """What a call, a property or a name that was assigned from one asks, by its docstring."""
        if isinstance(node, ast.Name):
            earlier = self._earlier(node.id)
            return earlier[1].question(earlier[0]) if earlier and not isinstance(earlier[0], ast.Name) else ""
        found: object = None
        if isinstance(node, ast.Call):
            found = self._value(node.func)
            if not isinstance(found, FunctionType | MethodType):
                return ""
        elif isinstance(node, ast.Attribute):
            found = getattr(type(self._value(node.value)), node.attr, None)
            if not isinstance(found, property | cached_property):
                return ""
        return _first_sentence(found.__doc__ or "") if found is not None else ""

    def _words(self, outcome: object) -> str:
        """A value in a word or two; empty where it has no short name."""
        if hasattr(outcome, "__next__"):
            return "none"
        match outcome:
            case bool():
                return "yes" if outcome else "no"
            case None:
                return "none"
            case Enum():
                return outcome.name.lower().replace("_", " ")
            case int() | float():
                return f"{outcome:.3g}"
            case str():
                return f'"{outcome}"' if outcome else "none"
            case Function():
                return outcome.qualified_name
            case Block():
                return f"line {getattr(outcome.node, 'lineno', 1)}"
            case ast.AST():
                return f"`{written(self.site.source, outcome)}`"
            case list() | tuple() | set() | frozenset() | dict():
                return "none" if not outcome else str(len(outcome))
        return ""

    def facts(self, node: ast.expr, far: int) -> Iterator[Fact]:
        """What a condition was decided on: heat, values, and pieces of the user's code."""
        match node:
            case ast.Name():
                yield from self._named(node, far)
            case ast.Attribute() | ast.Call():
                value = self._value(node)
                if isinstance(value, HeatFact | Value):
                    yield Fact(self.subject(node), value)
                    return
                parts = [node.value] if isinstance(node, ast.Attribute) else [*_base(node), *node.args]
                found = [fact for part in parts for fact in self.facts(part, far)]
                yield from found
                if not found and root_name(node) in self.step.names and self._is_telling(value):
                    yield Fact(self.lines.written(node), self._words(value))
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        yield from self.facts(child, far)

    def _named(self, node: ast.Name, far: int) -> Iterator[Fact]:
        if node.id not in self.step.names:
            return
        value = self._value(node)
        if isinstance(value, HeatFact | Value):
            yield Fact(self.subject(node), value)
            return
        earlier = self._earlier(node.id) if far else None
        found = list(earlier[1].facts(earlier[0], far - 1)) if earlier else []
        yield from found
        if not found and self._is_telling(value):
            yield Fact(node.id, self._words(value))

    def _is_telling(self, value: object) -> bool:
        """Whether a value says more than where the rule looks."""
        here = (self.site.node, self.site.statement, getattr(self.site.node, "func", None))
        return isinstance(value, ast.AST | Enum) and value not in here

    def subject(self, node: ast.expr) -> str:
        """What a value is the value of, in the user's code where that can be told, else in the rule's."""
        if isinstance(node, ast.Name):
            earlier = self._earlier(node.id)
            return earlier[1].subject(earlier[0]) if earlier else node.id
        for item in node.args if isinstance(node, ast.Call) else ():
            value = self._value(item)
            if isinstance(value, ast.expr):
                return written(self.site.source, value)
        return self.lines.written(node)


def _base(call: ast.Call) -> list[ast.expr]:
    return [call.func.value] if isinstance(call.func, ast.Attribute) else []


def _first_sentence(docstring: str) -> str:
    """Up to the first full stop, colon or semicolon: what follows explains, or says what other values mean."""
    text = " ".join(docstring.split())
    end = _SENTENCE_END.search(text)
    return text[: end.start()] if end else text
