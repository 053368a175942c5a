"""What all abstract values have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.interpreter import bounds

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable


class Value:
    """One abstract value. `maybe_none` says that it may be None instead."""

    __slots__ = ("known_key", "maybe_none", "read")

    def __init__(self, maybe_none: bool = False) -> None:
        self.maybe_none = maybe_none
        self.known_key: tuple[Hashable, ...] | None = None
        self.read: ast.AST | None = None
        """The operation by which the host read it from the device."""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What makes this value the same as another for every purpose but its way."""
        if self.known_key is None:
            self.known_key = (type(self).__name__, self.maybe_none, self.identity(0))
        return self.known_key

    def identity(self, depth: int) -> Hashable:
        """What the kind adds to the key; `depth` counts the containers around."""
        return None

    def or_none(self) -> Value:
        """The same value, which may be None as well."""
        if self.maybe_none:
            return self
        copy = self._copy()
        copy.maybe_none, copy.known_key = True, None
        return copy

    def read_by(self, operation: ast.AST | None) -> Value:
        """The same value, read from the device by an operation."""
        if operation is None or self.read is operation:
            return self
        copy = self._copy()
        copy.read = operation
        return copy

    def _copy(self) -> Value:
        copy = self.__class__.__new__(self.__class__)
        for kind in self.__class__.__mro__:
            for name in getattr(kind, "__slots__", ()):
                setattr(copy, name, getattr(self, name))
        return copy


Environment = dict[str, Value]
"""Names with what they stand for."""


def keys(values: tuple[Value, ...], depth: int) -> Hashable:
    """What tells the values of a container from others."""
    if depth >= bounds.NESTED_CONTAINERS:
        return None
    return tuple((type(value).__name__, value.identity(depth + 1)) for value in values)
