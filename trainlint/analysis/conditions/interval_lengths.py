"""How many steps lie between two runs of a place, where the file says so: `step % config.every == 0`, every = 500."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import argument, constant, nodes_in
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.reaching import single_value


def interval_length(outline: Outline, block: Block) -> int | None:
    """The product of the intervals behind which a block stands in its function; 1 without any, None if one is unknown.

    An interval is a number, a name bound to one, an option of the command line or a field with a default.
    """
    length = 1
    for item in block.outwards():
        if item.kind is BlockKind.FUNCTION:
            break
        if item.kind is BlockKind.BRANCH and item.test is not None:
            for divisor in _divisors(item.test):
                known = _known(outline, divisor, item)
                if known is None:
                    return None
                length *= known
    return length


def _divisors(test: ast.expr) -> Iterator[ast.expr]:
    for part in nodes_in(test):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod) and not isinstance(part.left, ast.Constant):
            yield part.right


def _known(outline: Outline, divisor: ast.expr, block: Block) -> int | None:
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
