"""Parameters that a decorator fills from a program's options: detectron2's `@configurable` with `from_config`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.conditions.arguments import PASSED, of_option, written_constant
from trainlint.analysis.conditions.settings.holders import telling_option
from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.literal_dicts import Settings
from trainlint.analysis.syntax.outline import Outline

_DECORATOR = "configurable"
_METHOD = "from_config"
"""The method of the class that makes the arguments."""


def configured_parameters(function: Function, outline: Outline) -> tuple[tuple[str, str], ...]:
    """The parameters of a constructor that its class reads from options, with these, in the notation of `arguments`."""
    if function.owner is None or not function.is_decorated(_DECORATOR):
        return ()
    method = function.owner.methods.get(_METHOD)
    if method is None:
        return ()
    found = []
    for parameter in function.parameters:
        values = list(_stored(parameter.arg, method, outline))
        if len(values) == 1:
            option = telling_option(values[0])
            found.append((parameter.arg, of_option(option) if option else written_constant(values[0]) or PASSED))
    return tuple(found)


def _stored(name: str, method: Function, outline: Outline) -> Iterator[ast.expr]:
    """What a method puts into a dict under a name: `found["width"] = ...`, `return {"width": ...}`."""
    for place in outline.stores.get(name, ()):
        if outline.enclosing(place.block) is method and isinstance(place.statement, ast.Assign):
            yield place.statement.value
    for place in outline.dicts.get(name, ()):
        if outline.enclosing(place.block) is method and isinstance(place.node, ast.Dict):
            setting = Settings(place.node).get(name)
            if setting is not None:
                yield setting.value
