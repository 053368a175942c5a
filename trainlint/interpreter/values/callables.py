"""The kinds of values that can be called or have attributes: what the project defines, and what libraries do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.interpreter.values.value import Value, keys

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from trainlint.interpreter.values.definitions import Class, Function, Module
    from trainlint.interpreter.values.kinds import Place


class Object(Value):
    """An instance of a class of the project."""

    __slots__ = ("cls",)

    def __init__(self, cls: Class, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.cls = cls

    def identity(self, depth: int) -> Hashable:
        """The class."""
        return id(self.cls)


class ClassValue(Value):
    """A class of the project."""

    __slots__ = ("cls",)

    def __init__(self, cls: Class, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.cls = cls

    def identity(self, depth: int) -> Hashable:
        """The class."""
        return id(self.cls)


class SuperValue(Value):
    """`super()`: what the classes after `definer` give to an object."""

    __slots__ = ("definer", "of")

    def __init__(self, definer: Class, of: Object) -> None:
        super().__init__()
        self.definer, self.of = definer, of

    def identity(self, depth: int) -> Hashable:
        """The class that asks and the object's."""
        return (id(self.definer), id(self.of.cls))


class FunctionValue(Value):
    """A function of the project, with the arguments that it was bound to."""

    __slots__ = ("args", "bound", "function", "named")

    def __init__(
        self,
        function: Function,
        bound: Value | None = None,
        args: tuple[Value, ...] = (),
        named: Mapping[str, Value] | None = None,
        maybe_none: bool = False,
    ) -> None:
        super().__init__(maybe_none)
        self.function, self.bound, self.args, self.named = function, bound, args, named or {}

    def identity(self, depth: int) -> Hashable:
        """The function and what it is bound to."""
        return (id(self.function), None if self.bound is None else self.bound.identity(depth + 1))


class ModuleValue(Value):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module

    def identity(self, depth: int) -> Hashable:
        """The module."""
        return id(self.module)


class Name(Value):
    """Something of a library, by its dotted name: a module, function or class."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str, maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.dotted = dotted

    def identity(self, depth: int) -> Hashable:
        """The name."""
        return self.dotted

    @property
    def last(self) -> str:
        """The name after the last dot."""
        return self.dotted.rpartition(".")[2]


class Made(Name):
    """An instance of a library's class, by the name of the class."""

    __slots__ = ()


class Distribution(Made):
    """An instance of a class of `torch.distributions`."""

    __slots__ = ("checks", "place")

    def __init__(self, dotted: str, place: Place, checks: bool, maybe_none: bool = False) -> None:
        super().__init__(dotted, maybe_none)
        self.place, self.checks = place, checks
        """Where its parameters lie, and whether it checks their values and those that it is asked about."""

    def identity(self, depth: int) -> Hashable:
        """The name, the place and whether it checks."""
        return (self.dotted, self.place, self.checks)


class Choice(Value):
    """One of several things that can be called or have attributes."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...], maybe_none: bool = False) -> None:
        super().__init__(maybe_none)
        self.options = options

    def identity(self, depth: int) -> Hashable:
        """The options."""
        return keys(self.options, 0)


_CALLABLE = (Object, ClassValue, FunctionValue, Name, ModuleValue)


def is_callable(value: Value) -> bool:
    """Whether a value is one of the kinds that a `Choice` holds."""
    return isinstance(value, _CALLABLE)
