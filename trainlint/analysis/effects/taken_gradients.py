"""Whether code takes gradients besides training: it fails or computes something else where autograd is off."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.effects.effect import EffectKind, have_effect
from trainlint.analysis.syntax.blocks import Block, Class, Function, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import end_position, position
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_TAKING = (EffectKind.DIFFERENTIATES, EffectKind.STEPS)
_DEEPEST = 8
"""Through how many names and calls a model is followed to where it is made."""


@once
def takes_gradients(file: SemanticModel, scope: ast.stmt) -> bool:
    """Whether something in sight that a statement or function calls takes gradients, or trains.

    That nothing in sight does proves nothing: modules of libraries, hooks and callbacks may.
    """
    calls = _calls_in_order(file)
    first = bisect_left(calls, position(scope), key=_position)
    last = bisect_left(calls, end_position(scope), key=_position)
    return any(_takes(file, place) for place in calls[first:last])


def _takes(file: SemanticModel, place: Place) -> bool:
    call = place.node
    assert isinstance(call, ast.Call)
    edge = file.graph.callee.get(call)
    if edge is not None and edge.function in _functions_with_backward(file):
        return True
    called = file.effects.called(call)
    return any(have_effect(called, kind) for kind in _TAKING) or any(
        effect.kind is EffectKind.DIFFERENTIATES
        for cls in _classes(file, call.func, place.block, 0)
        if (forward := file.graph.method(cls, "forward")) is not None
        for effect in file.effects.of(forward)
    )


def _classes(file: SemanticModel, model: ast.expr, block: Block, depth: int) -> Iterator[Class]:
    """The classes of the file whose objects a model may be, or may hold, by how it is made."""
    if depth > _DEEPEST:
        return
    if isinstance(model, ast.Call):
        cls = file.graph.class_named(model.func, block) if isinstance(model.func, ast.Name) else None
        if cls is not None:
            yield cls
        held = [*model.args, *([model.func.value] if isinstance(model.func, ast.Attribute) else ())]
        for item in held:
            yield from _classes(file, item, block, depth + 1)
        return
    for binding in file.outline.bindings(model, block):
        function = file.outline.function_of.get(binding.block.node) if binding.how is How.PARAMETER else None
        if function is not None:
            for value, outer in passed(file.graph, function, binding.name):
                yield from _classes(file, value, outer, depth + 1)
        elif binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            yield from _classes(file, binding.value, binding.block, depth + 1)


@once
def _functions_with_backward(file: SemanticModel) -> frozenset[Function]:
    found = (file.outline.enclosing(place.block) for place in file.outline.calls.get("backward", ()))
    return frozenset(function for function in found if function is not None)


@once
def _calls_in_order(file: SemanticModel) -> list[Place]:
    """All calls of a file, by where they begin."""
    return sorted(file.outline.all_calls(), key=_position)


def _position(place: Place) -> tuple[int, int]:
    assert isinstance(place.node, ast.Call)
    return position(place.node)
