"""Where a file makes objects of its own classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Class, Place

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_MOST_CALLS = 100
"""Objects of a class that is called more often hold anything."""


def constructions(kinds: Kinds, cls: Class) -> Iterator[tuple[Place, ast.Call]]:
    """The calls in the file that make an object of a class."""
    places = kinds.outline.calls.get(cls.name, ())
    for place in places if len(places) <= _MOST_CALLS else ():
        call = place.node
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            if kinds.graph.class_named(call.func, place.block) is cls:
                yield place, call
