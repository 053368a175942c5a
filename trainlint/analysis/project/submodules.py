"""Submodules that a class registers by calls, and calls of those that it keeps in a container of its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Class, How
from trainlint.analysis.syntax.names import nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.access_paths import SOME, AccessPath, Start
from trainlint.analysis.types.reflection import attribute_pattern
from trainlint.analysis.types.values import Value, merge

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_METHODS = ("add_module", "register_module")
_MOST = 8
"""Of the calls that put attributes into objects of one class, as many are looked at."""


def put_by_calls(file: SemanticModel, cls: Class) -> dict[str, Value]:
    """What `self.add_module(name, x)` and `setattr(self, name, x)` put into objects of a class.

    Attributes by their names; a name that the program puts together is a pattern, with `*` for what is not known.
    """
    found: dict[str, list[Value]] = {}
    for name in (*_METHODS, "setattr"):
        for place in file.outline.calls.get(name, ())[:_MOST]:
            call, block = place.node, place.block
            assert isinstance(call, ast.Call)
            receiver = call.args[0] if name == "setattr" and call.args else _receiver(call)
            given = call.args[1:] if name == "setattr" else call.args
            if len(given) != 2 or not isinstance(receiver, ast.Name):
                continue
            if file.outline.self_class(receiver, block) is cls:
                found.setdefault(attribute_pattern(given[0], block), []).append(file.kinds.of(given[1], block))
    return {name: merge(values) for name, values in found.items()}


def _receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def submodule_of_loop(file: SemanticModel, call: ast.Call, block: Block) -> tuple[AccessPath, ...]:
    """The submodules that `layer(x)` may call in `for layer in self.layers`, where nothing else is known of them.

    They are those that the class registers under names which the run decides.
    """
    if not isinstance(call.func, ast.Name):
        return ()
    for binding in reaching(call.func.id, block, position(call)):
        if binding.how is How.FOR and binding.value is not None:
            for part in nodes_in(binding.value):
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                    owner = file.outline.self_class(part.value, block)
                    if owner is not None:
                        return (AccessPath(Start.INSTANCE, owner.name, path=(SOME,)),)
    return ()
