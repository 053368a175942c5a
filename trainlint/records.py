"""The standard library's dataclasses, made in a tenth of the time.

trainlint has two hundred dataclasses. The standard library compiles six methods for each, which takes 0.5 ms, and its
import of `inspect` takes 5 ms more: for one clean file, that would be half of a run. Here a method is compiled when it
is first called, and `__init__` when it has been called more often than a run over one file calls it. Type checkers see
the standard library's own names, and `dataclasses.fields` and the like take what is made here for theirs.
"""

from __future__ import annotations

from functools import partial

__all__ = ["dataclass", "field", "field_names", "is_dataclass", "replace"]


class _Field:
    """A field that is more than a default."""

    def __init__(self, **options: object) -> None:
        self.options = options


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass, field, replace
    from typing import Any, NoReturn

    _Written = Callable[[], tuple[str, dict[str, Any]]]
    """Gives a method's text, and the names that it uses."""
else:
    field = _Field

    def dataclass(cls=None, /, **options):
        """A class whose annotations are fields, as `dataclasses.dataclass` makes it.

        The options are frozen, slots, eq and order. A class with bases is left to the standard library, but for
        typing's Generic.
        """
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        plain = all(base is object or base.__name__ == "Generic" for base in cls.__bases__)
        return _made(cls, **options) if plain else _standard(cls, options)

    def replace(item, /, **changes):
        """A copy with other values for some fields, as `dataclasses.replace` makes it."""
        kept = {name: getattr(item, name) for name in item.__match_args__ if name not in changes}
        return item.__class__(**kept, **changes)


def is_dataclass(kind: type) -> bool:
    """Whether a class is a dataclass, be it made here or by the standard library."""
    return "__dataclass_fields__" in vars(kind)


def field_names(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    fields = vars(kind)["__dataclass_fields__"]
    return tuple(fields.described if isinstance(fields, _StandardFields) else fields)


_COMPILED_AFTER = 20
"""Calls of an `__init__` that do without compiling it. To compile one takes as long as fifty of these."""
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _made(cls: type, *, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False) -> type:
    fields = {name: _described(cls, name) for name, kind in cls.__annotations__.items() if "ClassVar[" not in str(kind)}
    own = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__", *fields)}
    if slots:
        own["__slots__"] = tuple(fields)
    else:
        own |= {name: options["default"] for name, options in fields.items() if "default" in options}
    methods: dict[str, object] = {
        "__match_args__": _those(fields, "init"),
        "__repr__": _repr(_those(fields, "repr")),
        "__dataclass_fields__": _StandardFields(fields),
    }
    if eq:
        methods["__hash__"] = None
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    if frozen and slots:
        methods |= {"__getstate__": _state, "__setstate__": _restore}
    made = type(cls)(cls.__name__, cls.__bases__, methods | own)  # what the class defines itself stays
    made.__qualname__ = cls.__qualname__
    _init_later(made, fields, lambda: _init(made, fields, frozen=frozen, slots=slots))
    if eq:
        compared = _those(fields, "compare")
        _compile_later(made, "__eq__", lambda: _comparison("__eq__", "==", compared))
        if frozen:
            _compile_later(made, "__hash__", lambda: _hash(compared))
    for name, sign in _ORDER.items() if order else ():
        _compile_later(made, name, partial(_comparison, name, sign, compared))
    return made


def _described(cls: type, name: str) -> Mapping[str, Any]:
    """The options of a field."""
    if name not in vars(cls):
        return {}
    value = vars(cls)[name]
    return value.options if isinstance(value, _Field) else {"default": value}


def _those(fields: Mapping[str, Mapping[str, Any]], option: str) -> tuple[str, ...]:
    """The names of the fields that have not turned an option off."""
    return tuple(name for name, options in fields.items() if options.get(option, True))


def _compile_later(cls: type, name: str, written: _Written) -> None:
    """Give a class a method that puts the compiled one in its place when it is first called."""

    def method(self: object, *arguments: object) -> object:
        return _compiled(cls, name, written)(self, *arguments)

    setattr(cls, name, method)


def _init_later(cls: Any, fields: Mapping[str, Mapping[str, Any]], written: _Written) -> None:
    """Give a class an `__init__` that puts the compiled one in its place when it has been called often.

    What does not fit the fields is left to the compiled one, which says what is wrong.
    """
    taken = _those(fields, "init")
    needed = {name for name in taken if not fields[name].keys() & {"default", "default_factory"}}
    calls = 0

    def method(self: Any, *arguments: object, **named: object) -> None:
        nonlocal calls
        calls += 1
        given = dict(zip(taken, arguments, strict=False)) | named
        fits = len(given) == len(arguments) + len(named) and needed <= given.keys() <= set(taken)
        if calls > _COMPILED_AFTER or not fits:
            _compiled(cls, "__init__", written)(self, *arguments, **named)
            return
        for name, options in fields.items():
            if name in given:
                object.__setattr__(self, name, given[name])
            elif "default_factory" in options:
                object.__setattr__(self, name, options["default_factory"]())
            elif "default" in options:
                object.__setattr__(self, name, options["default"])
        if hasattr(cls, "__post_init__"):
            self.__post_init__()

    cls.__init__ = method


def _compiled(cls: type, name: str, written: _Written) -> Callable[..., object]:
    """A method, from now on that of the class."""
    text, names = written()
    exec(text, names)  # noqa: S102 - made of the names of fields alone
    method: Callable[..., object] = names[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)
    return method


def _init(
    cls: type, fields: Mapping[str, Mapping[str, Any]], *, frozen: bool, slots: bool
) -> tuple[str, dict[str, Any]]:
    names: dict[str, Any] = {"_absent": object(), "_set": object.__setattr__}
    parameters, lines = ["self"], []
    for name, options in fields.items():
        value, taken = name, options.get("init", True)
        if "default_factory" in options:
            names[f"_new_{name}"] = options["default_factory"]
            value = f"_new_{name}() if {name} is _absent else {name}" if taken else f"_new_{name}()"
            parameters += [f"{name}=_absent"] * taken
        elif "default" in options:
            names[f"_default_{name}"] = options["default"]
            value = name if taken else f"_default_{name}"
            parameters += [f"{name}=_default_{name}"] * taken
        elif taken:
            parameters.append(name)
        else:
            continue
        if frozen and slots:
            names[f"_set_{name}"] = vars(cls)[name].__set__  # makes an object in 0.3 µs, object.__setattr__ in 0.5 µs
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return _method("__init__", ", ".join(parameters), *lines), names


def _comparison(name: str, sign: str, fields: Sequence[str]) -> tuple[str, dict[str, Any]]:
    return _method(
        name,
        "self, other",
        "if other.__class__ is not self.__class__: return NotImplemented",
        f"return {_values('self', fields)} {sign} {_values('other', fields)}",
    ), {}


def _hash(fields: Sequence[str]) -> tuple[str, dict[str, Any]]:
    return _method("__hash__", "self", f"return hash({_values('self', fields)})"), {}


def _method(name: str, parameters: str, *lines: str) -> str:
    return f"def {name}({parameters}):\n " + "\n ".join(lines or ["pass"])


def _values(item: str, fields: Sequence[str]) -> str:
    """The text of a tuple with the values of some fields."""
    return "(" + "".join(f"{item}.{name}, " for name in fields) + ")"


def _repr(fields: Sequence[str]) -> Callable[[object], str]:
    def represent(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{type(self).__qualname__}({values})"

    return represent


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self.__slots__]


def _restore(self: Any, state: Sequence[object]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


class _StandardFields:
    """What the standard library knows of a dataclass, worked out only if it asks."""

    def __init__(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        self.described = fields

    def __get__(self, item: object, owner: type) -> Any:
        import dataclasses

        kinds = owner.__annotations__
        fields = [(name, kinds[name], dataclasses.field(**options)) for name, options in self.described.items()]
        twin: Any = dataclasses.make_dataclass(owner.__name__, fields)
        return twin.__dataclass_fields__


def _standard(cls: type, options: Mapping[str, bool]) -> type:
    import dataclasses

    for name in cls.__annotations__:
        described = _described(cls, name)
        if described:
            setattr(cls, name, dataclasses.field(**described))
    return dataclasses.dataclass(**options)(cls)
