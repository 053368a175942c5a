"""What one file shows of a value: a tensor, a module, a Python number."""

from __future__ import annotations

from collections.abc import Iterable
from enum import auto
from typing import NamedTuple

from trainlint.analysis.syntax.fast_enum import Choice


class Kind(Choice):
    """The sorts of values that rules tell apart."""

    TENSOR = auto()
    ARRAY = auto()
    """A NumPy array or scalar."""
    NUMBER = auto()
    """A Python number or truth value."""
    STRING = auto()
    NONE = auto()
    MODULE = auto()
    OPTIMIZER = auto()
    SCHEDULER = auto()
    SCALER = auto()
    LOADER = auto()
    """A data loader, or something that wraps one and yields batches."""
    DATASET = auto()
    DEVICE = auto()
    DTYPE = auto()
    SHAPE = auto()
    """Sizes: a tuple of Python numbers."""
    CONTAINER = auto()
    """A list, tuple, set or dict."""
    UNKNOWN = auto()


class Origin(Choice):
    """Where a tensor comes from."""

    BATCH = auto()
    """An element of what a loader yields."""
    OUTPUT = auto()
    """What a module returned."""
    LOSS = auto()
    """What a loss function returned."""
    OTHER = auto()


class Value(NamedTuple):
    """What is known of one expression's value."""

    kind: Kind
    origin: Origin = Origin.OTHER
    proved: bool = True
    """Whether the code that makes it or an annotation says so, and not only a name."""
    loss_function: bool = False
    """For modules: returns a loss."""
    dropped_graph: bool = False
    """For tensors: whether it was detached from its graph."""

    @property
    def is_tensor(self) -> bool:
        """Whether the value is a tensor."""
        return self.kind is Kind.TENSOR


_NOTHING = (Kind.UNKNOWN, Kind.NONE)
"""Kinds that say nothing of what a name holds on other ways."""
UNKNOWN = Value(Kind.UNKNOWN, proved=False)
NUMBER = Value(Kind.NUMBER)
STRING = Value(Kind.STRING)
NONE = Value(Kind.NONE)
TENSOR = Value(Kind.TENSOR)


def merged(values: Iterable[Value]) -> Value:
    """What a name is that may hold any of these values: what is known wins, and None does not disagree."""
    known = [value for value in values if value.kind not in _NOTHING]
    proved = [value for value in known if value.proved] or known
    found = [value for value in proved if value.is_tensor] or proved
    if len({value.kind for value in found}) != 1:
        return UNKNOWN
    return Value(
        found[0].kind,
        _one_origin(found),
        found[0].proved and len(found) == len(known),
        all(value.loss_function for value in found),
        all(value.dropped_graph for value in found),
    )


def _one_origin(values: list[Value]) -> Origin:
    """Where all of these come from; OTHER where they disagree."""
    origins = {value.origin for value in values}
    return origins.pop() if len(origins) == 1 else Origin.OTHER


def computed(values: Iterable[Value]) -> Value:
    """The result of arithmetic on these values."""
    found = list(values)
    tensors = [value for value in found if value.is_tensor]
    if tensors:
        return Value(
            Kind.TENSOR,
            _one_origin(tensors),
            any(value.proved for value in tensors),
            dropped_graph=all(value.dropped_graph for value in tensors),
        )
    for kind in (Kind.UNKNOWN, Kind.ARRAY, Kind.STRING, Kind.CONTAINER):
        if any(value.kind is kind for value in found):
            return Value(kind, proved=kind is not Kind.UNKNOWN)
    return NUMBER if all(value.kind is Kind.NUMBER for value in found) else UNKNOWN
