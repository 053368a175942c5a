"""What tests find out about single values: that one is a tensor, that a parameter has a gradient, what is passed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.conditions.guards import guard_of, known_parts, parts_around
from trainlint.analysis.syntax.blocks import Block
from trainlint.analysis.syntax.names import TYPE_TESTS, last_name, nodes_in


class TensorTest(NamedTuple):
    """A value that was asked whether it is a tensor, and is one, as far as the test tells."""

    value: ast.expr
    is_certain: bool
    """Whether it can be nothing else: `isinstance(x, (torch.Tensor, float))` leaves that open."""


def tensors_tested(block: Block, *, everywhere: bool = False) -> Iterator[TensorTest]:
    """The values that a block runs only with if they are tensors: by tests in its function, or out to the module.

    By `isinstance(x, torch.Tensor)` and `torch.is_tensor(x)`, also beside other tests, and where a test for the
    opposite does not hold.
    """
    for test, holds in parts_around(block, everywhere=everywhere):
        if not holds:
            continue
        for call in nodes_in(test):
            if isinstance(call, ast.Call) and call.args:
                found = _tensor_test(call)
                if found is not None:
                    yield found


def _tensor_test(call: ast.Call) -> TensorTest | None:
    name = last_name(call.func)
    if name not in TYPE_TESTS:
        return None
    if name == "is_tensor":
        return TensorTest(call.args[0], True)
    is_tensor = last_name(call.args[-1]) == "Tensor"
    names = (last_name(part) for part in nodes_in(call.args[-1]) if isinstance(part, (ast.Name, ast.Attribute)))
    return TensorTest(call.args[0], is_tensor) if is_tensor or any("Tensor" in name for name in names) else None


def asks_only_for_gradient(block: Block) -> bool:
    """Whether a block stands behind a test for a gradient and nothing else: `p.grad is not None`, `p.requires_grad`."""
    guard = guard_of(block)
    if guard is None:
        return False
    words = {last_name(part) for part in nodes_in(guard.expression) if isinstance(part, (ast.Name, ast.Attribute))}
    plain = all(isinstance(part, (ast.Name, ast.Attribute, ast.Constant)) for part in _operands(guard.expression))
    return plain and bool(words & {"grad", "requires_grad"})


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    for part, _ in known_parts(test, True):
        match part:
            case ast.BoolOp():
                for value in part.values:
                    yield from _operands(value)
            case ast.UnaryOp():
                yield from _operands(part.operand)
            case ast.Compare():
                yield from (part.left, *part.comparators)
            case _:
                yield part
