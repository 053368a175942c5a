"""Parameters that a decorator fills from a program's options: detectron2's `@configurable` with `from_config`."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.arguments import PASSED, of_option, written_constant
from trainlint.analysis.conditions.settings.holders import telling_option
from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.literal_dicts import dict_items
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.tables.frameworks.trainers import CONFIGURABLE, FROM_CONFIGURATION


def configured_parameters(function: Function, outline: Outline) -> tuple[tuple[str, str], ...]:
    """The parameters of a constructor that its class reads from options, with these, in the notation of `arguments`."""
    method = function.owner.methods.get(FROM_CONFIGURATION) if function.owner is not None else None
    if method is None or not function.is_decorated(CONFIGURABLE):
        return ()
    returned: dict[str, list[ast.expr]] = {}
    for place in method.returns:
        node = place.node.value if isinstance(place.node, ast.Return) else None
        for key, value, _ in dict_items(node, place.block, outline) if node is not None else ():
            returned.setdefault(key, []).append(value)
    found = []
    for parameter in function.parameters:
        values = returned.get(parameter.arg, [])
        if len(values) == 1:
            option = telling_option(values[0])
            found.append((parameter.arg, of_option(option) if option else written_constant(values[0]) or PASSED))
    return tuple(found)


def makes_arguments(function: Function) -> bool:
    """Whether a framework calls a method to make the arguments of its class's constructor, and nobody else need."""
    constructor = function.owner.methods.get("__init__") if function.owner is not None else None
    return function.name == FROM_CONFIGURATION and constructor is not None and constructor.is_decorated(CONFIGURABLE)
