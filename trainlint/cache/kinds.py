"""Which classes may occur in what is kept, by name, and how their objects are taken apart and made again."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from importlib import import_module
from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODULES = {
    "trainlint.engine.cached_results": "WholeRun",
    "trainlint.engine.index.group_facts": "GroupFacts",
    "trainlint.engine.index.executing": "ExecutedGroup",
    "trainlint.interpreter.operations": "Operation Position",
    "trainlint.interpreter.machine.events": "Happening Link",
    "trainlint.interpreter.machine.loaders": "ExecutedLoader Options",
    "trainlint.engine.work": "Outcome",
    "trainlint.finding": "Confidence Edit Failure Finding Fix Frequencies Heat HeatFact LoopKind RelatedPlace Report "
    "Safety Severity Span UnappliedFix",
    "trainlint.analysis.project.glance": "Glance",
    "trainlint.analysis.tables.file_words.programs": "Program",
    "trainlint.analysis.project.summary": "Summary",
    "trainlint.analysis.tables.fact_kinds": "FactKind Use",
    "trainlint.analysis.types.imported_facts": "ImportedFacts FileStatus",
}
CLASSES = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The dataclasses, named tuples and enumerations of results, with their modules. No other class is ever made."""

_BUILT_IN: dict[str, type] = {
    "None": type(None),
    "Mapping": dict,
    **{kind.__name__: kind for kind in (bool, bytes, dict, float, frozenset, int, list, str, tuple)},
}


def taken_apart(kind: type) -> tuple[str, Callable[[Any], Iterable[object]]]:
    """The name of a class, and a function that gives an object's parts. Raises TypeError for a class not known here."""
    name = kind.__name__
    if kind is bytes:
        return name, lambda value: (value.hex(),)
    if kind is dict:
        return name, lambda value: [part for item in value.items() for part in item]
    if kind is frozenset:
        return name, lambda value: sorted(value, key=repr)  # its own order is another one in each process
    if kind in (tuple, list):
        return name, iter
    if CLASSES.get(name) != kind.__module__:
        raise TypeError(f"{kind.__module__}.{name} is not among the classes that are kept")
    if issubclass(kind, Enum):
        return name, lambda value: (value.value,)
    if issubclass(kind, tuple):
        return name, iter
    names = _field_names(kind)
    several = attrgetter(*names)  # gives the fields as a tuple, at the speed of C
    return name, several if len(names) > 1 else lambda value: (several(value),)


@cache
def put_together(name: str) -> Callable[[list[Any]], object]:
    """A function that makes an object of its parts. Raises LookupError for a class not known here.

    The function raises TypeError or ValueError for parts that do not fit.
    """
    if name == "bytes":
        return lambda parts: bytes.fromhex(*parts)
    if name == "dict":
        return lambda parts: dict(zip(parts[::2], parts[1::2], strict=True))
    if name in ("frozenset", "tuple", "list"):
        return _BUILT_IN[name]
    kind = _class(name)
    if issubclass(kind, Enum):
        return lambda parts: kind(*parts)
    names = _field_names(kind)
    # A named tuple's annotations have been wrapped by `typing`.
    written = [kind.__annotations__[name] for name in names]
    allowed = [_allowed(getattr(words, "__forward_arg__", words)) for words in written]
    fitting: set[tuple[type, ...]] = set()

    def make(parts: list[Any]) -> object:
        types = tuple(map(type, parts))
        if types not in fitting:  # a few combinations occur, thousands of times each
            if not _fits(types, allowed):
                raise TypeError(f"no {name} has parts of these types")
            fitting.add(types)
        return kind(*parts)

    return make


def _field_names(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass or a named tuple."""
    return kind._fields if issubclass(kind, tuple) else tuple(field.name for field in fields(kind))


def _class(name: str) -> type:
    module = CLASSES[name]
    found: type = getattr(sys.modules.get(module) or import_module(module), name)
    return found


@cache
def _allowed(annotation: str) -> frozenset[type] | None:
    """The types that a field's annotation names, without those of their items; None where it names anything else."""
    names = re.sub(r"\[.*\]", "", annotation).split(" | ")
    found = [_BUILT_IN.get(name) or (_class(name) if name in CLASSES else None) for name in names]
    if None in found:
        # Data that is never kept, as a rewrite, leaves None as the only value.
        return frozenset({type(None)}) if "None" in names else None
    return frozenset(kind for kind in found if kind) | ({int} if float in found else set())


def _fits(types: Sequence[type], allowed: Sequence[frozenset[type] | None]) -> bool:
    return len(types) == len(allowed) and all(
        known is None or kind in known for kind, known in zip(types, allowed, strict=True)
    )
