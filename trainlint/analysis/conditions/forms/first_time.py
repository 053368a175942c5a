"""Tests for something that is missing. Where the branch makes it, the code runs the first time only."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.forms.own_state import ends_for_good, is_filled_by_method, not_yet
from trainlint.analysis.conditions.guards import within_function
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.syntax.blocks import Binding, Block, BlockKind, How
from trainlint.analysis.syntax.names import constant, dotted, last_name, nodes_in, root_name
from trainlint.analysis.types.batch_sources import is_batch_source

_PRESENT = frozenset({"hasattr", "exists", "is_initialized"})
_EQUALITY, _MEMBERSHIP = (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)
_IDENTITY = (ast.Is, ast.IsNot, *_EQUALITY)
_MISSING = (ast.Eq, ast.Is, ast.NotIn)
"""Comparisons that hold where something is missing."""
_METHODS_OF_STEP = frozenset({"forward", "backward", "step", "zero_grad", "__call__"})
"""Methods of modules and optimizers that training calls in each step."""


def compared(question: Question) -> Condition | None:
    """`self.table is None`, `key not in cache` and `len(cache) == 0`, where the branch fills it."""
    thing = _missing_thing(question)
    if thing is None:
        thing = not_yet(question)
        return _first(question) if thing is not None and ends_for_good(question, thing) else None
    if _is_set_back_in_each_step(question, thing):
        return None
    is_made = _is_filled(question, thing) or _is_switched_over(question, thing) or ends_for_good(question, thing)
    return _first(question) if is_made else None


def called(question: Question) -> Condition | None:
    """`not hasattr(self, "table")`."""
    test = question.test
    assert isinstance(test, ast.Call)
    if question.outcome or last_name(test.func) not in _PRESENT:
        return None
    if last_name(test.func) == "hasattr" and len(test.args) == 2:
        owner, key = dotted(test.args[0]), constant(test.args[1])
        if owner == "self" or (owner and question.branch_assigns(f"{owner}.{key}")):
            return _first(question)
        if owner is not None and root_name(test.args[0]) in question.flags.outline.imports:
            return None  # what a library offers
    return missing(question)


def named(question: Question) -> Condition | None:
    """`if not self.table:` where the branch fills it, and the empty state of an optimizer."""
    test = question.test
    if _is_set_back_in_each_step(question, test):
        return None
    if _is_switched_over(question, test):
        return _first(question)
    if question.outcome:
        return None
    if last_name(test) == "state" and _is_state_of_optimizer(question.bindings(test)):
        return _first(question)
    return _first(question) if _is_filled(question, test) or ends_for_good(question, test) else None


def missing(question: Question) -> Condition | None:
    """What is None, empty or absent, by a test that proves no more."""
    test = question.test
    if _is_switch_by_default(question):
        return None
    if isinstance(test, ast.Call):
        is_missing = not question.outcome
    elif isinstance(test, (ast.Name, ast.Attribute, ast.Subscript)):
        is_missing = not question.outcome and not question.block.negated  # `if not x:`, and no `else` of `if x:`
    else:
        is_missing = _missing_thing(question) is not None
    return Condition(ConditionKind.MISSING, test.lineno, "where something is missing") if is_missing else None


def _is_switch_by_default(question: Question) -> bool:
    """Whether a test asks a parameter whose default is True or False: it is a switch, and nothing is missing."""
    if not isinstance(question.test, ast.Name):
        return False
    bindings = question.bindings(question.test)
    return bool(bindings) and all(
        item.how is How.PARAMETER and isinstance(constant(item.value), bool) for item in bindings
    )


def _is_set_back_in_each_step(question: Question, thing: ast.expr) -> bool:
    """Whether a method that runs in each step gives a flag of the object the value for which the branch runs again.

    `backward` sets `self.stale = True`, and `if self.stale: ...; self.stale = False` stands in what `step` calls.
    """
    if not isinstance(thing, ast.Attribute):
        return False
    return any(
        not item.block.within(question.block)
        and not _ends_test(question, item)
        and item.how is How.ASSIGN
        and not item.path
        and constant(item.value) is not ...
        and getattr(getattr(_function_around(item.block), "node", None), "name", "") in _METHODS_OF_STEP
        for item in question.bindings(thing)
    )


def _first(question: Question) -> Condition:
    return Condition(ConditionKind.FIRST_TIME, question.test.lineno, "the first time only", rare=True)


def _missing_thing(question: Question) -> ast.expr | None:
    """What a comparison finds to be missing."""
    test = question.test
    if not isinstance(test, ast.Compare):
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    same = isinstance(operator, _MISSING) == question.outcome
    if not same:
        return None
    if isinstance(operator, _MEMBERSHIP):
        return None if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else right
    if isinstance(operator, _IDENTITY) and constant(right) is None:
        return left
    if isinstance(operator, _EQUALITY) and isinstance(left, ast.Call) and left.args:
        return left.args[0] if last_name(left.func) == "len" and constant(right) == 0 else None
    return None


def _is_filled(question: Question, thing: ast.expr) -> bool:
    """Whether the branch fills something that outlives the function: an attribute, an entry, a global."""
    name = dotted(thing.value) if isinstance(thing, ast.Subscript) else dotted(thing)
    if name is None:
        return False
    if isinstance(thing, ast.Name) and thing.id in question.block.scope.foreign and not _asks_for_key(question.test):
        return question.branch_assigns(name)
    if isinstance(thing, ast.Name) and not _asks_for_key(question.test):
        return False
    if isinstance(thing, ast.Attribute) and (question.branch_assigns(name) or is_filled_by_method(question, thing)):
        return True
    return question.branch_assigns(f"{name}[]")


def _is_switched_over(question: Question, thing: ast.expr) -> bool:
    """Whether the branch gives a local name, or a flag of the object itself, the value with which the test fails.

    Of a local name that holds for a loop over steps which sets it nowhere else: `shown = False` stands before it, and
    `if not shown: ...; shown = True` in it. A flag of the object is set nowhere else in the same function.
    """
    if not isinstance(thing, (ast.Name, ast.Attribute)):
        return False
    bindings = question.bindings(thing)
    inside = [item for item in bindings if item.block.within(question.block)]
    if not inside or len(inside) == len(bindings) or not all(_ends_test(question, item) for item in inside):
        return False
    around = _loop_over_steps(question.block) if isinstance(thing, ast.Name) else _function_around(question.block)
    return around is not None and not any(item.block.within(around) for item in bindings if item not in inside)


def _ends_test(question: Question, binding: Binding) -> bool:
    """Whether an assignment gives a name a value with which the test comes out otherwise."""
    if binding.how is not How.ASSIGN or binding.path:
        return False
    value = constant(binding.value)
    if isinstance(question.test, ast.Compare):
        return value is not None
    return bool(value) is not question.outcome if value is not ... else not question.outcome


def _loop_over_steps(block: Block) -> Block | None:
    """The innermost loop around a block that iterates batches or holds a backward."""
    for outer in within_function(block):
        if outer.kind is BlockKind.LOOP and outer.parent is not None:
            node = outer.node
            if isinstance(node, (ast.For, ast.AsyncFor)) and is_batch_source(node.iter, outer.parent):
                return outer
            if any(isinstance(part, ast.Attribute) and part.attr == "backward" for part in nodes_in(node)):
                return outer
    return None


def _function_around(block: Block) -> Block | None:
    return next((outer for outer in block.outwards() if outer.kind is BlockKind.FUNCTION), None)


def _asks_for_key(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn))


def _is_state_of_optimizer(bindings: Iterable[Binding]) -> bool:
    """Whether a name holds what an optimizer keeps for one parameter: `state = self.state[p]`."""
    return any(
        isinstance(item.value, ast.Subscript) and last_name(item.value.value) == "state" and not item.path
        for item in bindings
    )
