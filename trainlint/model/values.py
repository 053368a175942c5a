"""What a value is: tensor or number, on the host or on the device, attached to a graph or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

from trainlint.model.pointers import Pointer, together


class Kind(Enum):
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
    SAMPLER = auto()
    DEVICE = auto()
    """A torch.device or its name."""
    DTYPE = auto()
    SHAPE = auto()
    """Sizes: a tuple of Python numbers."""
    STREAM = auto()
    """A CUDA stream or event."""
    CONTAINER = auto()
    """A list, tuple, set or dict; `element` says of what."""
    UNKNOWN = auto()


class Home(Enum):
    """Where a tensor's memory is."""

    HOST = auto()
    DEVICE = auto()
    UNKNOWN = auto()


class Origin(Enum):
    """Where a tensor comes from."""

    BATCH = auto()
    """An element of what a loader yields."""
    OUTPUT = auto()
    """What a module returned."""
    LOSS = auto()
    """What a loss function returned."""
    FACTORY = auto()
    """Created by torch.zeros and its kin."""
    PARAMETER = auto()
    """A parameter or a gradient of a module."""
    NAME = auto()
    """Only its name says that it is a tensor."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of one expression's value."""

    kind: Kind
    home: Home = Home.UNKNOWN
    attached: bool | None = None
    """For tensors: whether it may carry an autograd graph; None if unknown."""
    origin: Origin = Origin.OTHER
    confidence: float = 1.0
    element: Value | None = None
    """For containers: the kind of each element."""
    literal: bool = False
    """Written out as a constant, so it may be only a starting value."""
    prepared: bool = False
    """For loaders: a framework moves its batches to the device."""
    loss_function: bool = False
    """For modules: returns a loss."""
    items: tuple[Value, ...] = ()
    """For tuples that are written out: their elements, in order. Also where the value may be no tuple instead."""
    pointers: tuple[Pointer, ...] = ()
    """Where it comes from, as far as other files may know more of it."""

    @property
    def is_tensor(self) -> bool:
        """Whether the value is a tensor."""
        return self.kind is Kind.TENSOR

    @property
    def on_device(self) -> bool:
        """Whether the value is a tensor in device memory."""
        return self.kind is Kind.TENSOR and self.home is Home.DEVICE

    def pointing(self, *pointers: Pointer) -> Value:
        """The same value, known to come from these places and no others."""
        return replace(self, pointers=pointers)

    def less_sure(self, factor: float) -> Value:
        """The same value with its confidence lowered."""
        return replace(self, confidence=self.confidence * factor)


_DEEPEST = 2
UNKNOWN = Value(Kind.UNKNOWN, confidence=0.0)
NUMBER = Value(Kind.NUMBER)
STRING = Value(Kind.STRING)
NONE = Value(Kind.NONE, literal=True)


def shallow(value: Value, depth: int = _DEEPEST) -> Value:
    """A value without what stands in containers in containers: results of functions may grow with each call."""
    if value.element is None and not value.items:
        return value
    if depth == 0:
        return replace(value, element=None, items=())
    element = shallow(value.element, depth - 1) if value.element is not None else None
    return replace(value, element=element, items=tuple(shallow(item, depth - 1) for item in value.items))


def merge(values: Iterable[Value]) -> Value:
    """What a name is that may hold any of these values. Starting constants such as 0 or None do not disagree."""
    found = list(values)
    if len(found) == 1:
        return found[0]
    merged = _merge(found)
    pointers = together([pointer for value in found for pointer in value.pointers])
    return merged if merged.pointers == pointers else replace(merged, pointers=pointers)


def _merge(values: list[Value]) -> Value:
    real = [value for value in values if not value.literal] or values
    if not real:
        return UNKNOWN
    kinds = {value.kind for value in real}
    if kinds == {Kind.TENSOR, Kind.UNKNOWN}:
        return _merge([value for value in real if value.is_tensor]).less_sure(0.7)
    if (
        len(kinds) > 1
        and Kind.TENSOR in kinds
        and kinds <= {Kind.TENSOR, Kind.NUMBER, Kind.ARRAY, Kind.UNKNOWN, Kind.CONTAINER}
    ):
        found = _merge([value for value in real if value.is_tensor]).less_sure(0.5)
        return replace(found, items=_items_of_containers(real))
    if len(kinds) > 1:
        items = _items_of_containers(real)
        return replace(UNKNOWN, items=items) if items else UNKNOWN
    first = real[0]
    if len(real) == 1:
        return first
    homes = {value.home for value in real}
    origins = {value.origin for value in real}
    elements = [value.element for value in real if value.element is not None]
    return replace(
        first,
        home=homes.pop() if len(homes) == 1 else Home.UNKNOWN,
        attached=_either(value.attached for value in real),
        origin=origins.pop() if len(origins) == 1 else Origin.OTHER,
        confidence=min(value.confidence for value in real),
        element=merge(elements) if elements else None,
        literal=all(value.literal for value in real),
        prepared=any(value.prepared for value in real),
        loss_function=all(value.loss_function for value in real),
        items=_merged_items(real),
    )


def _items_of_containers(values: list[Value]) -> tuple[Value, ...]:
    """What unpacking gives: of values that may be a tuple or something else, only a tuple is unpacked."""
    return _merged_items([value for value in values if value.kind is Kind.CONTAINER])


def _merged_items(values: list[Value]) -> tuple[Value, ...]:
    lengths = {len(value.items) for value in values}
    if len(lengths) != 1 or not lengths.pop():
        return ()
    return tuple(merge(each) for each in zip(*(value.items for value in values), strict=True))


def combine(values: Iterable[Value]) -> Value:
    """The result of arithmetic on these values."""
    found = list(values)
    tensors = [value for value in found if value.is_tensor]
    if tensors:
        homes = {value.home for value in tensors}
        home = Home.DEVICE if Home.DEVICE in homes else homes.pop() if len(homes) == 1 else Home.UNKNOWN
        origins = {value.origin for value in tensors}
        return Value(
            Kind.TENSOR,
            home,
            _either(value.attached for value in found if value.is_tensor or value.kind is Kind.UNKNOWN),
            origins.pop() if len(origins) == 1 else Origin.OTHER,
            max(value.confidence for value in tensors),
        )
    for kind in (Kind.UNKNOWN, Kind.ARRAY, Kind.STRING):
        if any(value.kind is kind for value in found):
            return Value(kind, confidence=min(value.confidence for value in found))
    if found and all(value.kind is Kind.NUMBER for value in found):
        return Value(Kind.NUMBER, literal=all(value.literal for value in found))
    return found[0] if found and all(value.kind is Kind.CONTAINER for value in found) else UNKNOWN


def _either(flags: Iterable[bool | None]) -> bool | None:
    found = set(flags)
    return True if True in found else None if None in found else False


def constant_value(value: object) -> Value:
    """The kind of a literal."""
    if value is None:
        return NONE
    if isinstance(value, str | bytes):
        return replace(STRING, literal=True)
    return replace(NUMBER, literal=True)
