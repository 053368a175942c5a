"""Tensors that are given to functions of torch for numbers: the host reads each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.tables.waits.number_arguments import NumberArguments, number_arguments
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.kinds import Items, Plain, Tensor, is_none
from trainlint.interpreter.values.value import Value


def tell_numbers(run: Run, name: str, origin: str | None, arguments: Arguments, node: ast.AST) -> None:
    """Tell the reads of a call by its last name and, for a function of torch, by its dotted name."""
    row = number_arguments(name, origin)
    if row is None:
        return
    happening = Happening.NUMBER if row.factor else Happening.SIZE
    given = list(_given(row, arguments, 0 if origin is None or row.makes else 1))
    if row.mixed and not any(isinstance(value, Plain) and not is_none(value) for value in given):
        return
    for value in given:
        run.reads(
            node, value, happening, f"a number for `{name}`", structures=isinstance(value, Tensor) and value.is_one
        )


def _given(row: NumberArguments, arguments: Arguments, before: int) -> Iterator[Value]:
    """What is given for numbers, and what lists of them hold; `before` counts the tensors that come first."""
    last = len(arguments.args) if row.last is None else row.last + before + 1
    values = arguments.args[row.first + before : last]
    for value in (*values, *(arguments.named[name] for name in row.keywords if name in arguments.named)):
        yield from value.parts if isinstance(value, Items) else (value,)
