"""Tests of the program's options, by their names.

What is off by default is still worth judging, but it is not what most runs do: frequency behind it is less sure.
"""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.conditions.question import Question
from trainlint.analysis.conditions.settings.holders import is_expected, option_name
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import constant

_DEEPEST = 5


def compared(question: Question) -> Condition | None:
    """`args.steps > 0`, `config.path is not None`: whether an option has a value."""
    test = question.test
    assert isinstance(test, ast.Compare)
    operator, value = test.ops[0], constant(test.comparators[0])
    if value not in (None, 0) or not isinstance(operator, (ast.Is, ast.Eq, ast.IsNot, ast.NotEq, ast.Gt)):
        return None
    is_off = isinstance(operator, (ast.Is, ast.Eq))
    return _option(question, test.left, is_off != question.outcome, question.block)


def named(question: Question) -> Condition | None:
    """`args.use_mixup`, `self.config.flip`, and `USE_FLIP = True` at the top of the file."""
    found = _option(question, question.test, question.outcome, question.block)
    if found is not None:
        return found
    bindings = question.bindings(question.test)
    if bindings and all(item.how is How.ASSIGN and isinstance(constant(item.value), bool) for item in bindings):
        if len(bindings) == 1:
            return Condition(ConditionKind.OPTION, question.test.lineno, "depending on a constant")
    return None


def called(question: Question) -> Condition | None:
    """`getattr(args, "use_mixup", False)` and `opt.get("use_mixup", False)`."""
    return _option(question, question.test, question.outcome, question.block)


def _option(question: Question, node: ast.expr, on: bool, block: Block, depth: int = 0) -> Condition | None:
    """The option that an expression reads, itself or through the one assignment of a name.

    An option is an attribute of something that is called `args`, `config` or the like, or a name or an attribute of
    the object itself that only ever holds one.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _option(question, node.operand, not on, block, depth)
    name = option_name(node)
    if name is None:
        if isinstance(node, (ast.Name, ast.Attribute)):
            return _of_binding(question, question.bindings(node, block), on, depth)
        return None
    if is_expected(name):
        return Condition(ConditionKind.OPTION, question.test.lineno, f"depending on the option `{name}`")
    words = f"only if the option `{name}` is {'set' if on else 'off'}"
    return Condition(ConditionKind.OPTION, question.test.lineno, words, name=name, value=on)


def _of_binding(question: Question, bindings: list[Binding], on: bool, depth: int) -> Condition | None:
    if len(bindings) != 1 or depth >= _DEEPEST:
        return None
    binding = bindings[0]
    if binding.how is not How.ASSIGN or binding.value is None or binding.path:
        return None
    return _option(question, binding.value, on, binding.block, depth + 1)
