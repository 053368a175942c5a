"""From a test to its condition. Nothing outside of this package reads tests.

Each form of guard is a module with functions from a question to a condition, or None where the test has another form.
A new form is a module and one line in the tables below. The first form that knows a test decides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from trainlint.analysis.conditions.condition import (
    ALWAYS,
    NEVER,
    Condition,
    ConditionKind,
    all_of,
    any_of,
)
from trainlint.analysis.conditions.forms import (
    assigned_values,
    chances,
    empty_data,
    entry_points,
    failures,
    first_time,
    intervals,
    new_best,
    options,
    own_state,
    parameters,
    phases,
    powers,
    ranks,
    since_marks,
    switches,
    time_limits,
    warm_ups,
)
from trainlint.analysis.conditions.forms.machine import environment, hardware, versions
from trainlint.analysis.conditions.question import Answers, Question
from trainlint.analysis.conditions.settings.option_defaults import Flags
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import NAMES, constant, last_name
from trainlint.analysis.tables.host_reads import ITEM

Form = Callable[[Question], Condition | None]

_IDENTITY: tuple[Form, ...] = (
    first_time.compared,
    switches.compared,
    phases.compared_cache,
    ranks.compared,
    parameters.compared,
    options.compared,
    phases.compared,
    hardware.compared,
    versions.compared,
    first_time.missing,
)
_EQUALITY: tuple[Form, ...] = (
    intervals.compared_remainder,
    powers.compared,
    intervals.compared_counter,
    since_marks.compared_count,
    first_time.compared,
    switches.compared,
    ranks.compared,
    options.compared,
    environment.compared,
    failures.compared,
    phases.compared,
    hardware.compared,
    versions.compared,
    entry_points.compared,
    empty_data.compared,
    first_time.missing,
)
_ORDER: tuple[Form, ...] = (
    intervals.compared_remainder,
    time_limits.compared_time,
    since_marks.compared_mark,
    chances.compared_draw,
    own_state.outgrown,
    intervals.compared_counter,
    warm_ups.compared,
    new_best.compared,
    ranks.compared,
    options.compared,
    hardware.compared,
    versions.compared,
    empty_data.compared,
)
_MEMBERSHIP: tuple[Form, ...] = (
    intervals.compared_remainder,
    intervals.compared_counter,
    first_time.compared,
    ranks.compared,
    hardware.compared,
    versions.in_names_of_module,
    versions.compared,
    first_time.missing,
)
_CALLS: tuple[Form, ...] = (
    failures.called,
    phases.called,
    first_time.called,
    intervals.called,
    powers.called,
    switches.called,
    options.called,
    ranks.called,
    hardware.called,
    versions.called,
    empty_data.called,
)
_NAMES: tuple[Form, ...] = (
    intervals.remainder,
    assigned_values.rarely_set,
    ranks.named,
    phases.named,
    first_time.named,
    intervals.named,
    switches.named,
    new_best.named,
    failures.named,
    since_marks.ends_loop,
    assigned_values.assigned,
    options.named,
    hardware.named,
    versions.named,
    first_time.missing,
)
_FORMS: dict[type[ast.AST], tuple[Form, ...]] = {
    ast.Call: _CALLS,
    ast.Name: _NAMES,
    ast.Attribute: _NAMES,
    ast.Subscript: _NAMES,
    ast.BinOp: (intervals.remainder,),
    **dict.fromkeys((ast.Is, ast.IsNot), _IDENTITY),
    **dict.fromkeys((ast.Eq, ast.NotEq), _EQUALITY),
    **dict.fromkeys((ast.Lt, ast.LtE, ast.Gt, ast.GtE), _ORDER),
    **dict.fromkeys((ast.In, ast.NotIn), _MEMBERSHIP),
}
"""Type of a test, or of the operator of a comparison → the forms that are asked, in this order."""
_KNOW_NAME: dict[Form, Callable[[str], bool]] = {
    entry_points.compared: entry_points.is_name_of_module,
    failures.named: failures.is_failure,
    intervals.named: intervals.names_interval,
    new_best.named: new_best.is_best,
    phases.compared: phases.is_phase,
    phases.compared_cache: phases.is_cache,
    phases.named: phases.names_phase,
    switches.compared: switches.names_switch,
    switches.named: switches.names_switch,
    versions.named: versions.speaks_of_version,
}
"""Forms that know a test only by the last name of what it asks about, with the names that they know: most names are
known to none of them."""
_SAME = (ast.Eq, ast.Is)
_OTHER = (ast.NotEq, ast.IsNot)


def condition_of(test: ast.expr, outcome: bool, block: Block, flags: Flags, known: Answers | None = None) -> Condition:
    """The condition under which `test` comes out as `outcome`.

    `block` is where the test stands, or the branch that it opens; `flags` knows what is on by default; `known` keeps
    what is found for names.
    """
    return _evaluate(Question(test, outcome, block, flags, _evaluate, known={} if known is None else known))


def _evaluate(question: Question) -> Condition:
    test, outcome = question.test, question.outcome
    kind = type(test)
    if kind is not ast.Name and kind is not ast.Attribute:
        of_parts = _OF_PARTS.get(kind)
        found = of_parts(question) if of_parts is not None else None
        if found is not None:
            return found
        value = constant(test)
        if value is not ...:
            return ALWAYS if bool(value) == outcome else NEVER
    found = None
    for form in _forms_for(test):
        found = form(question)
        if found is not None:
            break
    if found is None:
        found = Condition(ConditionKind.UNKNOWN, getattr(test, "lineno", 0), "behind a test")
    return found


def _forms_for(test: ast.expr) -> tuple[Form, ...]:
    """The forms that may know a test, in the order in which they are asked."""
    if type(test) is ast.Compare:
        return _that_know_name[type(test.ops[0])](last_name(test.left))
    if type(test) is ast.Name or type(test) is ast.Attribute:
        return _that_know_name[type(test)](last_name(test))
    return _FORMS.get(type(test), ())


def _know_name(forms: tuple[Form, ...]) -> Callable[[str], tuple[Form, ...]]:
    """Which of some forms may know a test, by the last name of what it asks about."""

    @lru_cache(NAMES)
    def found(name: str) -> tuple[Form, ...]:
        return tuple([form for form in forms if form not in _KNOW_NAME or _KNOW_NAME[form](name)])

    return found


_that_know_name = {kind: _know_name(forms) for kind, forms in _FORMS.items()}


# The condition of a test that is made of other tests; None for those that forms read.


def _of_comparison(question: Question) -> Condition | None:
    test, outcome = question.test, question.outcome
    assert isinstance(test, ast.Compare)
    if len(test.ops) > 1:
        parts = [question.ask(part, outcome) for part in _pairs(test)]
        return all_of(parts) if outcome else any_of(parts)
    value = constant(test.comparators[0])
    if isinstance(value, bool) and isinstance(test.ops[0], _SAME + _OTHER):
        return question.ask(test.left, value == (isinstance(test.ops[0], _SAME) == outcome))
    return None


def _of_operation(question: Question) -> Condition:
    test, outcome = question.test, question.outcome
    assert isinstance(test, ast.BoolOp)
    parts = [question.ask(part, outcome) for part in test.values]
    return all_of(parts) if isinstance(test.op, ast.And) == outcome else any_of(parts)


def _of_negation(question: Question) -> Condition | None:
    test = question.test
    assert isinstance(test, ast.UnaryOp)
    return question.ask(test.operand, not question.outcome) if isinstance(test.op, ast.Not) else None


def _of_assigned(question: Question) -> Condition:
    test = question.test
    assert isinstance(test, ast.NamedExpr)
    return question.ask(test.value, question.outcome)


def _of_choice(question: Question) -> Condition:
    test = question.test
    assert isinstance(test, ast.IfExp)
    return any_of([_of_way(question, test.test, True, test.body), _of_way(question, test.test, False, test.orelse)])


def _of_call(question: Question) -> Condition | None:
    test = question.test
    assert isinstance(test, ast.Call)
    inner = _reduced(test)
    return question.ask(inner, question.outcome) if inner is not None else None


_OF_PARTS: dict[type[ast.expr], Form] = {
    ast.Compare: _of_comparison,
    ast.BoolOp: _of_operation,
    ast.UnaryOp: _of_negation,
    ast.NamedExpr: _of_assigned,
    ast.IfExp: _of_choice,
    ast.Call: _of_call,
}


def _of_way(question: Question, test: ast.expr, way: bool, value: ast.expr) -> Condition:
    """The condition of a conditional expression that holds by one of its two values."""
    return all_of([question.ask(test, way), question.ask(value, question.outcome)])


def _pairs(test: ast.Compare) -> list[ast.Compare]:
    """The comparisons of two values that a chain such as `0 <= x < 3` consists of."""
    sides = [test.left, *test.comparators]
    return [
        ast.copy_location(ast.Compare(left, [operator], [right]), test)
        for left, operator, right in zip(sides, test.ops, test.comparators, strict=False)
    ]


def _reduced(call: ast.Call) -> ast.expr | None:
    """What `any(...)`, `bool(...)`, `.all()` and `.item()` make one truth value of; None for other calls."""
    name = last_name(call.func)
    if name not in ("any", "all", "bool") and (name != ITEM.name or call.args):
        return None
    if isinstance(call.func, ast.Attribute):
        inner: ast.expr | None = call.func.value
    else:
        inner = call.args[0] if call.args else None
    if isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
        inner = inner.elt
    return inner.left if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitOr) else inner
