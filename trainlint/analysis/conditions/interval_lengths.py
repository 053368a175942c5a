"""How many steps lie between two runs of a place, where the file says so: `step % config.every == 0`, every = 500."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trainlint.analysis.conditions.condition import Condition, ConditionKind
from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import argument, constant
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value


def interval_length(conditions: Iterable[Condition]) -> int | None:
    """The product of the intervals among conditions that must all hold; 1 without any, None if one is unknown."""
    length = 1
    for condition in conditions:
        if condition.kind is ConditionKind.INTERVAL:
            if condition.steps is None:
                return None
            length *= condition.steps
    return length


def known_interval(outline: Outline, divisor: ast.expr, block: Block) -> int | None:
    """An interval that is a number, a name bound to one, an option of the command line or a field with a default."""
    value = constant(single_value(divisor, block) or divisor)
    if isinstance(value, int):
        return value
    if not isinstance(divisor, ast.Attribute):
        return None
    found = {item for item in _defaults(outline, divisor.attr) if isinstance(item, int)}
    return found.pop() if len(found) == 1 else None


def _defaults(outline: Outline, name: str) -> Iterator[object]:
    """What a field, or an option of the command line, of this name is by default."""
    for cls in outline.classes.values():
        for binding in cls.attributes.get(name, ()):
            if binding.how is How.ASSIGN and binding.block.kind is BlockKind.CLASS:
                yield constant(binding.value)
    for place in outline.calls.get("add_argument", ()):
        call = place.node
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
            if str(call.args[0].value).lstrip("-").replace("-", "_") == name:
                yield constant(argument(call, "default"))
