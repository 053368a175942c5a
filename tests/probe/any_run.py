"""Any run that could be, for properties that hold of all of them."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import inf
from typing import Any

from hypothesis import strategies as st

from trainlint.evidence.interval import Interval
from trainlint.evidence.run import Run

_PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    str: st.text(),
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(-1e12, 1e12),  # thirty years in milliseconds: sums of larger ones need not be numbers
    type(None): st.none(),
}


def runs() -> st.SearchStrategy[Run]:
    """Runs with anything in every field that its annotation allows."""
    return anything(Run)


def anything(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a kind with anything in every field that its annotation allows. Intervals may lack a bound."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is Interval:
        finite = _PLAIN[float]
        return st.builds(Interval, finite | st.just(-inf), finite | st.just(inf))
    arguments = typing.get_args(kind)
    if not arguments:
        if isinstance(kind, type) and issubclass(kind, Enum):
            return st.sampled_from(kind)
        assert isinstance(kind, type)
        assert is_dataclass(kind)
        hints = typing.get_type_hints(kind)
        return st.builds(kind, **{field.name: anything(hints[field.name]) for field in fields(kind)})
    origin = typing.get_origin(kind)
    if origin is tuple:
        return st.lists(anything(arguments[0]), max_size=3).map(tuple)
    if origin is not None and issubclass(origin, Mapping):
        keys, values = arguments
        return st.dictionaries(anything(keys), anything(values), max_size=3)
    return st.one_of(*map(anything, arguments))
