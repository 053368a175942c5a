"""Functions that take gradients themselves: what they compute changes, or fails, where autograd is off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.syntax.blocks import Function, Place
from trainlint.analysis.syntax.names import constant, last_name
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_SWITCHES = frozenset({"enable_grad", "set_grad_enabled", "requires_grad_", "backward", "is_grad_enabled"})
_OFF = frozenset({"set_grad_enabled", "requires_grad_"})
"""What only counts where it is not given False."""
_TAKES = lazy(
    r"(torch\.autograd|torch\.func|functorch)\.(\w+\.)*"
    r"(grad|grad_and_value|backward|vjp|jvp|jac\w+|hessian|hvp|vhp|jacobian|linearize)",
    re.ASCII,
)


def own_gradients(file: SemanticModel) -> Iterator[tuple[Function, Effect]]:
    """Function → that it takes gradients, switches autograd on, or asks whether it is on."""
    for place in _switch_places(file):
        function = file.outline.enclosing(place.block)
        if function is None or (_is_backward(place) and not _is_of_module(file, function)):
            continue  # a backward outside of modules is that of training
        yield function, Effect(EffectKind.DIFFERENTIATES, file.source.path, getattr(place.node, "lineno", 0))


def _is_backward(place: Place) -> bool:
    return isinstance(place.node, ast.Call) and last_name(place.node.func) == "backward"


def _is_of_module(file: SemanticModel, function: Function) -> bool:
    return function.owner is not None and file.kinds.is_module_class(function.owner)


def _switch_places(file: SemanticModel) -> Iterator[Place]:
    for name in sorted(_SWITCHES & file.outline.calls.keys()):
        for place in file.outline.calls[name]:
            assert isinstance(place.node, ast.Call)
            given = [*place.node.args, *(keyword.value for keyword in place.node.keywords)]
            if name not in _OFF or not given or constant(given[0]) is not False:
                yield place
    for place in file.outline.references:
        if _TAKES.fullmatch(file.outline.imported(place.node, place.block) or ""):
            yield place
    for place in file.outline.stores.get("requires_grad", ()):
        statement = place.statement
        if isinstance(statement, ast.Assign) and constant(statement.value) is not False:
            yield place
