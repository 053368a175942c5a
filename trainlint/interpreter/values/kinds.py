"""The kinds of abstract values.

A value never changes after it is made. Two values are the same if their `key` is: the way by which a tensor came is not
part of it, so that a function that is called twice with equal tensors is executed once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from trainlint.interpreter import bounds
from trainlint.interpreter.values.value import Value, keys

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from trainlint.interpreter.values.loading import Making

Place = Literal["device", "host", "pinned", "meta", "unknown"]
Source = Literal[
    "",
    "loader",
    "factory",
    "data",
    "array",
    "number",
    "observed",
    "parameter",
    "read",
    "moved",
    "mixed",
    "computed",
    "name",
]
"""What a tensor was made from; it decides what to say about a copy of it.

`observed` is what an environment gave, `parameter` is an argument of a presumed entry, `read` was copied from the
device before, `mixed` may be a number, `name` is a tensor by nothing but its name.
"""


class Unknown(Value):
    """Nothing is known."""

    __slots__ = ()


class _Nothing:
    """Marks that no constant is known, since None is one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()
Meaning = Literal["", "counter", "inner", "off", "dtype", "time"]
"""What is known of a host value besides: it counts iterations (`inner`: of a loop inside a training step), is an option
that is off by default, is a dtype, is a time or how long something took."""


class Plain(Value):
    """A value of the host that is no tensor: a number, a string, None, a flag."""

    __slots__ = ("constant", "default", "meaning", "says")

    def __init__(
        self,
        constant: object = NOTHING,
        meaning: Meaning = "",
        says: tuple[str, str] | None = None,
        maybe_none: bool = False,
        default: str = "",
    ) -> None:
        super().__init__(maybe_none)
        self.constant, self.meaning = constant, meaning
        self.default = default
        """What an option is by default, where that is a string."""
        self.says = says
        """How cold both branches of a test are that was stored in a variable."""

    def identity(self, depth: int) -> Hashable:
        """The constant, the meaning and the default."""
        constant = self.constant
        return (type(constant).__name__, constant, self.meaning, self.says, self.default)

    @property
    def known(self) -> bool:
        """Whether the value is exactly this constant."""
        return self.constant is not NOTHING and not self.maybe_none

    @property
    def text(self) -> str | None:
        """The constant, where it is a string."""
        return self.constant if isinstance(self.constant, str) else None


class Tensor(Value):
    """A tensor, or (`container`) perhaps a structure of tensors that lie in one place."""

    __slots__ = ("container", "makings", "mask", "place", "source", "way")

    def __init__(
        self,
        place: Place = "device",
        mask: bool | None = None,
        container: bool = False,
        source: Source = "",
        way: tuple[str, ...] = (),
        maybe_none: bool = False,
        makings: tuple[Making, ...] = (),
    ) -> None:
        super().__init__(maybe_none)
        self.place, self.mask, self.container, self.source, self.way = place, mask, container, source, way
        self.makings = makings
        """The calls that made the loaders whose batch it is, or is a part of."""

    def identity(self, depth: int) -> Hashable:
        """All but the way; on the device, a batch is like that of any other loader."""
        loader = () if self.place == "device" else _identities(self)
        return (self.place, self.mask, self.container, self.source, loader)

    def but(
        self,
        *,
        place: Place | None = None,
        mask: bool | Literal["same"] | None = "same",
        container: bool | None = None,
        source: Source | None = None,
        maybe_none: bool | None = None,
        step: str | None = None,
    ) -> Tensor:
        """The same tensor, changed in what is given; `step` is added to its way."""
        return Tensor(
            self.place if place is None else place,
            self.mask if mask == "same" else mask,
            self.container if container is None else container,
            self.source if source is None else source,
            self.way if step is None else (*self.way, step)[-bounds.WAY :],
            self.maybe_none if maybe_none is None else maybe_none,
            self.makings,
        )

    def of_loaders(self, makings: tuple[Making, ...]) -> Tensor:
        """The same tensor, as a batch of other loaders."""
        return Tensor(self.place, self.mask, self.container, self.source, self.way, self.maybe_none, makings)

    @property
    def is_one(self) -> bool:
        """Whether it is surely a tensor: a batch of a loader, or what a function is given, may hold numbers as well."""
        return not self.container or self.source not in ("loader", "parameter", "mixed")

    @property
    def on_host(self) -> bool:
        """Whether it surely lies in memory of the host, pinned or not."""
        return self.place in ("host", "pinned")


def _identities(value: Value) -> tuple[int, ...]:
    return tuple(making.identity for making in value.makings) if isinstance(value, Tensor) else ()


class Array(Value):
    """A NumPy array, or what a library made of the host's memory."""

    __slots__ = ("is_item",)

    def __init__(self, is_item: bool = False, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.is_item = is_item
        """Whether it is an item of another, and thus perhaps a number."""

    def identity(self, depth: int) -> Hashable:
        """Whether it is an item."""
        return self.is_item


class Device(Value):
    """A device, by name or object."""

    __slots__ = ("place",)

    def __init__(self, place: Place, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.place = place

    def identity(self, depth: int) -> Hashable:
        """The place."""
        return self.place


class Items(Value):
    """A list, tuple or set: its parts in their order (`fixed`), or what each part may be."""

    __slots__ = ("fixed", "listed", "parts")

    def __init__(
        self, parts: tuple[Value, ...], fixed: bool = False, maybe_none: bool = False, listed: bool = False
    ) -> None:
        super().__init__(maybe_none)
        self.parts, self.fixed, self.listed = parts, fixed, listed
        """`listed`: it is surely a list, which is one index of a tensor where a tuple is several."""

    def identity(self, depth: int) -> Hashable:
        """The parts, and whether it is a list."""
        return (self.fixed, self.listed, keys(self.parts, depth))


ANY_KEY: Final = object()
"""The key of a mapping's items whose keys are not known."""


class Mapping_(Value):  # noqa: N801 - `Mapping` is the standard library's
    """A dict, by constant keys and `ANY_KEY`."""

    __slots__ = ("items",)

    def __init__(self, items: Mapping[Any, Value], maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.items = items

    def identity(self, depth: int) -> Hashable:
        """The first few items, in the order of their keys' text."""
        if depth >= bounds.NESTED_CONTAINERS:
            return None
        in_order = sorted(self.items.items(), key=lambda item: "" if item[0] is ANY_KEY else str(item[0]))
        some = in_order[: bounds.FEW_PARTS]
        return tuple((key, type(value).__name__, value.identity(depth + 1)) for key, value in some)


class Stream(Value):
    """An iterator or generator of equal items."""

    __slots__ = ("item",)

    def __init__(self, item: Value, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.item = item

    def identity(self, depth: int) -> Hashable:
        """The item."""
        return keys((self.item,), depth)


class Loader(Stream):
    """A loader of batches."""

    __slots__ = ()

    def identity(self, depth: int) -> Hashable:
        """The batch, and the calls that made the loader."""
        return (super().identity(depth), _identities(self.item))


UNKNOWN: Final = Unknown()
PLAIN: Final = Plain()
COUNTER: Final = Plain(meaning="counter")
INNER_COUNTER: Final = Plain(meaning="inner")
DTYPE: Final = Plain(meaning="dtype")
TIME: Final = Plain(meaning="time")
NONE: Final = Plain(None)
TRUE: Final = Plain(True)
FALSE: Final = Plain(False)
ARRAY: Final = Array()
ARRAY_ITEM: Final = Array(is_item=True)


def is_none(value: Value) -> bool:
    """Whether a value is None and nothing else."""
    return isinstance(value, Plain) and value.constant is None
