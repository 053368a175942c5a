"""How marks in snippets name a value: kind, and for tensors place and source."""

from __future__ import annotations

from trainlint.analysis.types.values import Kind, Value


def words(value: Value) -> str:
    """As in "tensor host batch" or "container of number"."""
    if value.kind is Kind.TENSOR:
        return f"tensor {value.home.name.lower()} {value.origin.name.lower()}"
    if value.kind is Kind.CONTAINER and value.element is not None:
        return f"container of {words(value.element)}"
    return value.kind.name.lower()
