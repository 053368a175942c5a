"""What a value is: tensor or number, on the host or on the device, attached to a graph or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import auto
from operator import attrgetter

from trainlint.analysis.syntax.fast_enum import Choice
from trainlint.analysis.types.access_paths import AccessPath, joined_paths
from trainlint.analysis.types.evidence import PROVED, Evidence, Rank
from trainlint.analysis.types.evidence import at_most as no_better


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


PLAIN_KINDS = frozenset({Kind.NUMBER, Kind.STRING})
"""Python's numbers and text, which code often takes in the place of tensors."""


class Home(Choice):
    """Where a tensor's memory is."""

    HOST = auto()
    DEVICE = auto()
    CHOSEN = auto()
    """Where this project computes: a switch or the machine decides, as with `if args.cuda: x = x.cuda()`."""
    UNKNOWN = auto()


_BESIDE_HOST = (Home.DEVICE, Home.CHOSEN)


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
    """For containers, and for arrays of one axis: the kind of each element."""
    literal: bool = False
    """Written out as a constant, so it may be only a starting value."""
    prepared: bool = False
    """For loaders: a framework moves its batches to the device. For models: a wrapper moves its inputs there."""
    loss_function: bool = False
    """For modules: returns a loss."""
    items: tuple[Value, ...] = ()
    """For tuples that are written out: their elements, in order. Also where the value may be no tuple instead."""
    access_paths: tuple[AccessPath, ...] = ()
    """Where it comes from, as far as other files may know more of it."""
    evidence: Evidence = PROVED
    """How well each field is known."""

    def __hash__(self) -> int:
        return hash((self.kind, self.confidence, self.access_paths, self.items))

    @property
    def is_tensor(self) -> bool:
        """Whether the value is a tensor."""
        return self.kind is Kind.TENSOR

    @property
    def on_device(self) -> bool:
        """Whether the value is a tensor in device memory, at least where this project computes on a device."""
        return self.kind is Kind.TENSOR and self.home in _BESIDE_HOST

    def with_access_paths(self, *access_paths: AccessPath) -> Value:
        """The same value, known to come from these places and no others."""
        if access_paths == self.access_paths:
            return self
        return self._replaced(self.confidence, self.element, self.items, access_paths, self.evidence)

    def holding(self, element: Value | None, items: tuple[Value, ...] = ()) -> Value:
        """The same value with other elements."""
        if element is self.element and items == self.items:
            return self
        return self._replaced(self.confidence, element, items, self.access_paths, self.evidence)

    def at_least(self, confidence: float) -> Value:
        """The same, known at least as well."""
        if self.confidence >= confidence:
            return self
        return self._replaced(confidence, self.element, self.items, self.access_paths, self.evidence)

    def at_most(self, confidence: float) -> Value:
        """The same value, no surer than this."""
        if self.confidence <= confidence:
            return self
        return self._replaced(confidence, self.element, self.items, self.access_paths, self.evidence)

    def less_certain(self) -> Value:
        """The same value, where it may as well be of another kind."""
        return self.at_most(0.5 * self.confidence)

    def known_by(self, evidence: Evidence) -> Value:
        """The same value with other evidence."""
        if evidence is self.evidence:
            return self
        return self._replaced(self.confidence, self.element, self.items, self.access_paths, evidence)

    def passed(self) -> Value:
        """The same value as a function knows it that is given it."""
        return self.known_by(no_better(self.evidence, Rank.PASSED))

    def detached(self) -> Value:
        """The same value without an autograd graph."""
        if self.attached is False:
            return self
        return self.with_origin(self.home, False, self.origin).known_by(self.evidence._replace(graph=Rank.PROVED))

    def lying(self, home: Home) -> Value:
        """The same value in another place."""
        if home is self.home and self.evidence.home is Rank.PROVED:
            return self
        return self.with_origin(home, self.attached, self.origin).known_by(self.evidence._replace(home=Rank.PROVED))

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
            self.evidence,
        )

    def _replaced(
        self,
        confidence: float,
        element: Value | None,
        items: tuple[Value, ...],
        access_paths: tuple[AccessPath, ...],
        evidence: Evidence,
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
            evidence,
        )


_DEEPEST = 2
_TENSOR_OR_UNKNOWN = frozenset({Kind.TENSOR, Kind.UNKNOWN})
_LIKE_TENSORS = frozenset({Kind.TENSOR, Kind.NUMBER, Kind.ARRAY, Kind.UNKNOWN, Kind.CONTAINER})
_BATCH_KINDS = frozenset({Kind.TENSOR, Kind.CONTAINER})
"""What a batch may be: a tensor stands for any nest of tensors there."""
_ITERATED = frozenset({Kind.LOADER, Kind.DATASET})
"""What yields batches if there are workers, and else the dataset itself."""
UNKNOWN = Value(Kind.UNKNOWN, confidence=0.0)
NUMBER = Value(Kind.NUMBER)
STRING = Value(Kind.STRING)
NONE = Value(Kind.NONE, literal=True)
_CONSTANT_NUMBER = Value(Kind.NUMBER, literal=True)
_CONSTANT_STRING = Value(Kind.STRING, literal=True)


def somewhere(access_path: AccessPath) -> Value:
    """A value of which only that is known: where it comes from."""
    return Value(Kind.UNKNOWN, confidence=0.0, access_paths=(access_path,))


def batch_of(loader: Value) -> Value:
    """An element of what a loader yields; UNKNOWN where a framework may have moved it."""
    if loader.element is not None:
        return loader.element
    if loader.prepared:
        return UNKNOWN
    return Value(Kind.TENSOR, Home.HOST, False, Origin.BATCH, min(0.95, loader.confidence or 1.0))


def limited_depth(value: Value, depth: int = _DEEPEST) -> Value:
    """A value without what stands in containers in containers: results of functions may grow with each call."""
    if value.element is None and not value.items:
        return value
    if depth == 0:
        return value.holding(None)
    element = limited_depth(value.element, depth - 1) if value.element is not None else None
    return value.holding(element, tuple([limited_depth(item, depth - 1) for item in value.items]))


def merge(values: Iterable[Value]) -> Value:
    """What a name is that may hold any of these values.

    What is known wins over what is guessed, and nothing is taken back by a value of which nothing is known: values that
    are known in different ways are alternatives all the same. Starting constants such as 0 or None do not disagree.
    """
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
    return _merge(found).with_access_paths(*joined_paths(access_paths))


def _merge(values: list[Value]) -> Value:
    real = [value for value in values if not value.literal] or values
    known = [value for value in real if value.kind is not Kind.UNKNOWN]
    if not known:
        return next((value for value in real if value.home is not Home.UNKNOWN), real[0])
    if any(value.evidence.kind <= Rank.NAMED for value in known):
        known = _better_known(known)
    if len(known) == 1:
        return known[0]
    kind = known[0].kind
    for value in known:
        if value.kind is not kind:
            return _of_several_kinds(known)
    return _of_one_kind(known)


def _better_known(values: list[Value]) -> list[Value]:
    """Those of which more than a name is known, if there are any.

    Where one that is left out was moved, the others were on their way there: `x = batch["x"].cuda()` says where it is,
    and what comes from other files says what it is.
    """
    found = [value for value in values if value.evidence.kind > Rank.NAMED]
    if not found:
        return values
    homes = {value.home for value in values if value not in found and value.evidence.home is Rank.PROVED}
    if homes == {Home.HOST}:
        return [value.lying(Home.HOST) if value.is_tensor else value for value in found]
    if not homes.isdisjoint(_BESIDE_HOST):
        return [value.lying(Home.CHOSEN) if value.is_tensor and not value.on_device else value for value in found]
    return found


def _of_one_kind(values: list[Value]) -> Value:
    first = values[0]
    confidence, prepared, loss_function = first.confidence, first.prepared, first.loss_function
    for value in values:
        if value.confidence < confidence:
            confidence = value.confidence
        prepared = prepared and value.prepared if first.kind is Kind.MODULE else prepared or value.prepared
        loss_function = loss_function and value.loss_function
    elements = [value.element for value in values if value.element is not None]
    home, home_rank = _joined_home(values)
    origin, origin_rank = _joined_origin(values)
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
        Evidence(first.evidence.kind, home_rank, origin_rank, min([value.evidence.graph for value in values])),
    )


def _joined_home(values: list[Value]) -> tuple[Home, Rank]:
    """The place that all agree on, guesses aside; UNKNOWN where they disagree."""
    home, best = Home.UNKNOWN, Rank.UNKNOWN
    for value in values:
        rank = value.evidence.home if value.home is not Home.UNKNOWN else Rank.UNKNOWN
        if rank > Rank.NAMED >= best or best is Rank.UNKNOWN:
            home, best = value.home, rank
        elif (rank > Rank.NAMED) is (best > Rank.NAMED) and rank and value.home is not home:
            home = Home.CHOSEN if Home.CHOSEN in (home, value.home) else Home.UNKNOWN
    return home, best


def _joined_origin(values: list[Value]) -> tuple[Origin, Rank]:
    """The source that all agree on, guesses aside; OTHER where they disagree."""
    known = [value for value in values if value.evidence.origin > Rank.NAMED] or values
    origins = {value.origin for value in known}
    return origins.pop() if len(origins) == 1 else Origin.OTHER, min([value.evidence.origin for value in known])


def _of_several_kinds(values: list[Value]) -> Value:
    kinds = {value.kind for value in values}
    items = _items_of_containers(values)
    if Kind.TENSOR in kinds and kinds <= _LIKE_TENSORS:
        tensors = [value for value in values if value.is_tensor]
        found = _merge(tensors)
        if kinds != _BATCH_KINDS or any(value.origin is not Origin.BATCH for value in tensors):
            found = found.less_certain()
        return found.holding(found.element, items)
    if kinds == _ITERATED:
        return _merge([value for value in values if value.kind is Kind.LOADER])
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


def _without_guesses(tensors: list[Value]) -> list[Value]:
    """The operands of which more than a name is known, where it is known of any of them where it is."""
    if len(tensors) == 1 or not any(map(_has_known_home, tensors)):
        return tensors
    return [value for value in tensors if value.origin is not Origin.NAME or _has_known_home(value)]


def _has_known_home(value: Value) -> bool:
    """Whether more than a name says where a tensor is. Made on the spot, it may be a single number, which joins any."""
    return value.evidence.home > Rank.NAMED and value.home is not Home.UNKNOWN and value.origin is not Origin.FACTORY


def _computed_tensor(operands: list[Value]) -> Value:
    """The result of arithmetic with a tensor: beside the host if one of the tensors is, and as sure as the surest."""
    tensors = _without_guesses([value for value in operands if value.kind is Kind.TENSOR])
    homes = {value.home for value in tensors}
    origins = {value.origin for value in tensors}
    home = next((each for each in _BESIDE_HOST if each in homes), homes.pop() if len(homes) == 1 else Home.UNKNOWN)
    surest = tensors[0]
    evidence = surest.evidence
    if len(tensors) > 1:
        surest = max(tensors, key=attrgetter("confidence"))
        ranks = [value.evidence.home for value in tensors if value.home is home]
        evidence = surest.evidence._replace(home=max(ranks, default=Rank.UNKNOWN))
    return Value(
        Kind.TENSOR,
        home,
        _either([value.attached for value in operands if value.kind in _TENSOR_OR_UNKNOWN]),
        origins.pop() if len(origins) == 1 else Origin.OTHER,
        surest.confidence,
        evidence=evidence,
    )


def _either(flags: list[bool | None]) -> bool | None:
    return True if True in flags else None if None in flags else False


def constant_value(value: object) -> Value:
    """The kind of a literal."""
    if value is None:
        return NONE
    return _CONSTANT_STRING if isinstance(value, str | bytes) else _CONSTANT_NUMBER
