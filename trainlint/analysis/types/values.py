"""What a value is: tensor or number, on the host or on the device, attached to a graph or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import auto

from trainlint.analysis.syntax.fast_enum import Choice
from trainlint.analysis.types.access_paths import AccessPath, together


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


class Home(Choice):
    """Where a tensor's memory is."""

    HOST = auto()
    DEVICE = auto()
    UNKNOWN = auto()


class Origin(Choice):
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


@dataclass(slots=True)
class Value:
    """What is known of one expression's value.

    Values are shared and serve as keys: no field is ever assigned to. They are not declared frozen, because building
    a frozen one takes six times as long, and files have as many values as they have names and calls.
    """

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
    access_paths: tuple[AccessPath, ...] = ()
    """Where it comes from, as far as other files may know more of it."""

    def __hash__(self) -> int:
        return hash((self.kind, self.confidence, self.access_paths, self.items))

    @property
    def is_tensor(self) -> bool:
        """Whether the value is a tensor."""
        return self.kind is Kind.TENSOR

    @property
    def on_device(self) -> bool:
        """Whether the value is a tensor in device memory."""
        return self.kind is Kind.TENSOR and self.home is Home.DEVICE

    def with_access_paths(self, *access_paths: AccessPath) -> Value:
        """The same value, known to come from these places and no others."""
        if access_paths == self.access_paths:
            return self
        return self._but(self.confidence, self.element, self.items, access_paths)

    def holding(self, element: Value | None, items: tuple[Value, ...] = ()) -> Value:
        """The same value with other elements."""
        if element is self.element and items == self.items:
            return self
        return self._but(self.confidence, element, items, self.access_paths)

    def less_sure(self, factor: float) -> Value:
        """The same value with its confidence lowered."""
        return self._but(self.confidence * factor, self.element, self.items, self.access_paths)

    def detached(self) -> Value:
        """The same value without an autograd graph."""
        return self if self.attached is False else self.with_origin(self.home, False, self.origin)

    def lying(self, home: Home) -> Value:
        """The same value in another place."""
        return self if home is self.home else self.with_origin(home, self.attached, self.origin)

    def with_origin(self, home: Home, attached: bool | None, origin: Origin) -> Value:
        """The same tensor, but for where it lies and what it comes from."""
        return Value(
            self.kind,
            home,
            attached,
            origin,
            self.confidence,
            self.element,
            self.literal,
            self.prepared,
            self.loss_function,
            self.items,
            self.access_paths,
        )

    def _but(
        self, confidence: float, element: Value | None, items: tuple[Value, ...], access_paths: tuple[AccessPath, ...]
    ) -> Value:
        """The same value but for these fields, in a tenth of the time of `dataclasses.replace`."""
        return Value(
            self.kind,
            self.home,
            self.attached,
            self.origin,
            confidence,
            element,
            self.literal,
            self.prepared,
            self.loss_function,
            items,
            access_paths,
        )


_DEEPEST = 2
_TENSOR_OR_UNKNOWN = frozenset({Kind.TENSOR, Kind.UNKNOWN})
_LIKE_TENSORS = frozenset({Kind.TENSOR, Kind.NUMBER, Kind.ARRAY, Kind.UNKNOWN, Kind.CONTAINER})
UNKNOWN = Value(Kind.UNKNOWN, confidence=0.0)
NUMBER = Value(Kind.NUMBER)
STRING = Value(Kind.STRING)
NONE = Value(Kind.NONE, literal=True)
_CONSTANT_NUMBER = Value(Kind.NUMBER, literal=True)
_CONSTANT_STRING = Value(Kind.STRING, literal=True)


def somewhere(access_path: AccessPath) -> Value:
    """A value of which only that is known: where it comes from."""
    return Value(Kind.UNKNOWN, confidence=0.0, access_paths=(access_path,))


def shallow(value: Value, depth: int = _DEEPEST) -> Value:
    """A value without what stands in containers in containers: results of functions may grow with each call."""
    if value.element is None and not value.items:
        return value
    if depth == 0:
        return value.holding(None)
    element = shallow(value.element, depth - 1) if value.element is not None else None
    return value.holding(element, tuple([shallow(item, depth - 1) for item in value.items]))


def merge(values: Iterable[Value]) -> Value:
    """What a name is that may hold any of these values. Starting constants such as 0 or None do not disagree."""
    found = list(values)
    if not found:
        return UNKNOWN
    first = found[0]
    for value in found:
        if value is not first and (value.kind is not first.kind or value != first):
            break
    else:
        return first
    access_paths = [access_path for value in found for access_path in value.access_paths]
    return _merge(found).with_access_paths(*together(access_paths))


def _merge(values: list[Value]) -> Value:
    real = [value for value in values if not value.literal] or values
    if len(real) == 1:
        return real[0]
    kind = real[0].kind
    for value in real:
        if value.kind is not kind:
            return _of_several_kinds(real)
    return _of_one_kind(real)


def _of_one_kind(values: list[Value]) -> Value:
    first = values[0]
    home, origin, confidence = first.home, first.origin, first.confidence
    prepared, loss_function = first.prepared, first.loss_function
    for value in values:
        if value.home is not home:
            home = Home.UNKNOWN
        if value.origin is not origin:
            origin = Origin.OTHER
        if value.confidence < confidence:
            confidence = value.confidence
        prepared = prepared or value.prepared
        loss_function = loss_function and value.loss_function
    elements = [value.element for value in values if value.element is not None]
    return Value(
        first.kind,
        home,
        _either([value.attached for value in values]),
        origin,
        confidence,
        merge(elements) if elements else None,
        first.literal,
        prepared,
        loss_function,
        _merged_items(values),
        first.access_paths,
    )


def _of_several_kinds(values: list[Value]) -> Value:
    kinds = {value.kind for value in values}
    if kinds == _TENSOR_OR_UNKNOWN:
        return _merge([value for value in values if value.is_tensor]).less_sure(0.7)
    items = _items_of_containers(values)
    if Kind.TENSOR in kinds and kinds <= _LIKE_TENSORS:
        found = _merge([value for value in values if value.is_tensor]).less_sure(0.5)
        return found.holding(found.element, items)
    return UNKNOWN.holding(None, items)


def _items_of_containers(values: list[Value]) -> tuple[Value, ...]:
    """What unpacking gives: of values that may be a tuple or something else, only a tuple is unpacked."""
    return _merged_items([value for value in values if value.kind is Kind.CONTAINER])


def _merged_items(values: list[Value]) -> tuple[Value, ...]:
    items = [value.items for value in values]
    if not items or not items[0] or any(len(each) != len(items[0]) for each in items):
        return ()
    return tuple([merge(each) for each in zip(*items, strict=True)])


def combine(values: Iterable[Value]) -> Value:
    """The result of arithmetic on these values."""
    found = list(values)
    kinds = {value.kind for value in found}
    if Kind.TENSOR in kinds:
        return _computed_tensor(found)
    for kind in (Kind.UNKNOWN, Kind.ARRAY, Kind.STRING):
        if kind in kinds:
            return Value(kind, confidence=min([value.confidence for value in found]))
    if kinds == {Kind.NUMBER}:
        return _CONSTANT_NUMBER if all(value.literal for value in found) else NUMBER
    return found[0] if kinds == {Kind.CONTAINER} else UNKNOWN


def _computed_tensor(operands: list[Value]) -> Value:
    """The result of arithmetic with a tensor: beside the host if one of the tensors is, and as sure as the surest."""
    tensors = [value for value in operands if value.kind is Kind.TENSOR]
    homes = {value.home for value in tensors}
    origins = {value.origin for value in tensors}
    return Value(
        Kind.TENSOR,
        Home.DEVICE if Home.DEVICE in homes else homes.pop() if len(homes) == 1 else Home.UNKNOWN,
        _either([value.attached for value in operands if value.kind in _TENSOR_OR_UNKNOWN]),
        origins.pop() if len(origins) == 1 else Origin.OTHER,
        max([value.confidence for value in tensors]),
    )


def _either(flags: list[bool | None]) -> bool | None:
    return True if True in flags else None if None in flags else False


def constant_value(value: object) -> Value:
    """The kind of a literal."""
    if value is None:
        return NONE
    return _CONSTANT_STRING if isinstance(value, str | bytes) else _CONSTANT_NUMBER
