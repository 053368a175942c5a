"""Switches of classes: parameters of constructors that are False unless somebody says otherwise, and who says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.assignments import targets
from trainlint.analysis.conditions.guards import parts_around
from trainlint.analysis.syntax.blocks import Block, Class, Place
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.syntax.outline import Outline

OFF = frozenset({"False", "None"})
"""What is off, in the notation of `arguments`."""
_OFF = (False, None)


def switches_around(outline: Outline, block: Block) -> Iterator[str]:
    """The switches of its class that must be on for a block to run: `if self.with_mask:`."""
    for part in parts_around(block):
        test = part.expression
        if part.holds and isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name):
            owner = outline.self_class(test.value, block)
            if owner is not None and test.attr in _switches_of(owner) and _keeps_as_given(owner, test.attr):
                yield test.attr


def switches(outline: Outline) -> frozenset[str]:
    """The switches of all classes of a file."""
    return frozenset().union(*(_switches_of(cls) for cls in outline.classes.values()))


def turned_on(outline: Outline) -> frozenset[str]:
    """Names under which a file passes something else than False, or than what it was given under the same name.

    Keywords of calls, parameters with another default, attributes of other objects.
    """
    found: set[str] = set()
    for place in outline.all_calls():
        assert isinstance(place.node, ast.Call)
        for keyword in place.node.keywords:
            if keyword.arg is not None and not _hands_on(keyword.arg, keyword.value):
                found.add(keyword.arg)
    for function in outline.functions:
        found.update(item.arg for item, value in function.defaults if value is not None and constant(value) not in _OFF)
    for name, places in outline.stores.items():
        if any(_stores_on_other(outline, name, place) for place in places):
            found.add(name)
    return frozenset(found)


def _hands_on(name: str, value: ast.expr) -> bool:
    """Whether a switch is left off, or given as it was given: by a parameter, or by an attribute that keeps it."""
    if isinstance(value, ast.Attribute):
        return value.attr == name and isinstance(value.value, ast.Name) and value.value.id == "self"
    return constant(value) in _OFF or (isinstance(value, ast.Name) and value.id == name)


def _stores_on_other(outline: Outline, name: str, place: Place) -> bool:
    """Whether a statement stores under a name on another object than that whose method this is, or in a container."""
    for target in targets(place.statement):
        held = target.value if isinstance(target, ast.Attribute) and target.attr == name else None
        is_own = isinstance(held, ast.Name) and outline.self_class(held, place.block) is not None
        if not is_own and (held is not None or isinstance(target, ast.Subscript)):
            return True
    return False


def _switches_of(cls: Class) -> frozenset[str]:
    constructor = cls.methods.get("__init__")
    if constructor is None:
        return frozenset()
    return frozenset([item.arg for item, value in constructor.defaults if value and constant(value) is False])


def _keeps_as_given(cls: Class, name: str) -> bool:
    """Whether a class only assigns a switch as it was given, or leaves that to its base."""
    return all(isinstance(item.value, ast.Name) and item.value.id == name for item in cls.attributes.get(name, ()))
