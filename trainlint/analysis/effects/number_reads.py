"""Device tensors that are given for numbers, as in `x.roll(shift)` and `torch.zeros(count)`: the host reads them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.effects.reads import implicit_read
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.waits.number_arguments import NumberArguments, number_arguments

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MANY = 64
"""Parts of one argument that are looked at."""


def read_as_numbers(file: SemanticModel, call: ast.Call, block: Block) -> list[tuple[ast.expr, float]]:
    """The device tensors among the arguments of a call that are numbers, with confidences."""
    origin = file.kinds.imported(call.func, block)
    row = number_arguments(last_name(call.func), origin)
    if row is None or (origin is None and not _may_be_method(file, call, block)):
        return []
    given = [
        (argument if isinstance(argument, ast.Name) else part, part)
        for argument in _number_arguments(row, call, of_module=origin is not None)
        for part in _parts(argument, block)[:_MANY]
    ]
    if row.mixed and not any(type(constant(part)) in (int, float) for _, part in given):
        return []  # all are tensors: nothing is read
    found = [(shown, implicit_read(file.kinds.of(part, block), part, block)) for shown, part in given]
    return [(shown, sure) for shown, sure in found if sure]


def _may_be_method(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a method is called on a tensor."""
    return isinstance(call.func, ast.Attribute) and file.kinds.of(call.func.value, block).is_tensor


def _number_arguments(row: NumberArguments, call: ast.Call, *, of_module: bool) -> list[ast.expr]:
    """The arguments of a call that are numbers or lists of numbers."""
    start = row.first + (1 if of_module and not row.makes else 0)
    stop = None if row.last is None else start + row.last - row.first + 1
    named = [keyword.value for keyword in call.keywords if keyword.arg in row.keywords]
    return [item for item in call.args[start:stop] if not isinstance(item, ast.Starred)] + named


def _parts(given: ast.expr, block: Block) -> list[ast.expr]:
    """The numbers of an argument: those of a list that is written out, also behind a name, and of sums of lists."""
    if isinstance(given, ast.Name):
        made = single_value(given, block)
        if not isinstance(made, ast.List | ast.Tuple):
            return [given]
        given = made
    if isinstance(given, ast.List | ast.Tuple):
        return [item for item in given.elts if not isinstance(item, ast.Starred)]
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Add):
        sides = [side for side in (given.left, given.right) if isinstance(side, ast.List | ast.Tuple | ast.BinOp)]
        if sides:
            return [part for side in sides for part in _parts(side, block)]
    return [given]
