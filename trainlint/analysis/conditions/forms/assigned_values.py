"""Tests of a name or an attribute by what was assigned to it: `due = step % 100 == 0`, later `if due:`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Binding, BlockKind, How
from trainlint.analysis.syntax.names import constant


def rarely_set(question: Question) -> Condition | None:
    """The condition of a name that all its assignments make so rarely: by a rare test, or a literal behind one."""
    found: Condition | None = None
    for binding in question.bindings(question.test):
        if binding.how is not How.ASSIGN or binding.value is None or binding.path:
            return None
        literal = constant(binding.value)
        if not isinstance(literal, bool | None):
            condition = question.ask(binding.value, question.outcome, binding.block)
        elif bool(literal) != question.outcome:
            continue
        else:
            condition = _around_assignment(question, binding)
        if not condition.rare:
            return None
        found = found or condition
    return found


def assigned(question: Question) -> Condition | None:
    """The condition of the one expression that a name holds; a written-out truth value is a setting of the program."""
    bindings = question.bindings(question.test)
    if len(bindings) != 1 or bindings[0].path:
        return None
    binding = bindings[0]
    if binding.how is not How.ASSIGN or binding.value is None or isinstance(binding.value, ast.Constant):
        return None
    found = question.ask(binding.value, question.outcome, binding.block)
    known = found.kind not in (ConditionKind.UNKNOWN, ConditionKind.MISSING)
    return found if known else None


def _around_assignment(question: Question, binding: Binding) -> Condition:
    """The first rare condition behind which an assignment stands, out to its loop or function."""
    for block in binding.block.outwards():
        if block.kind in (BlockKind.FUNCTION, BlockKind.LOOP):
            break
        if block.kind is BlockKind.EXCEPT:
            return Condition(ConditionKind.FAILURE, getattr(block.node, "lineno", 0), "after a failure", rare=True)
        if block.kind is BlockKind.BRANCH and block.test is not None:
            found = question.ask(block.test, not block.negated, block)
            if found.rare:
                return found
    return Condition(ConditionKind.UNKNOWN)
