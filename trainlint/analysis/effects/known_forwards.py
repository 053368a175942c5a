"""Whether the forward that a call runs is known, and takes no gradient itself."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

from trainlint.analysis.effects.effect import EffectKind, have_effect
from trainlint.analysis.programs.evaluation import model_run_by, results_of
from trainlint.analysis.syntax.assigned_names import assigns_forward
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import end_position, last_name, position
from trainlint.analysis.tables.frameworks.packages import brings_torch
from trainlint.analysis.tables.loaders import PREPARE_MODEL
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.analysis.types.batches import passed

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_LIBRARIES = ("torch.nn.", "torchvision.models.", "timm.", "transformers.")
"""Modules of these take no gradient themselves."""
_METHODS_OF_MODELS = frozenset("to cuda cpu train eval half float bfloat16 compile requires_grad_".split())
_WRAPPERS = called_as(Wrapper.DDP, Wrapper.DATA_PARALLEL) | {"compile", "prepare", PREPARE_MODEL.name, "unwrap_model"}
"""What hands back the model that it is given, or one that does the same."""
_ONLY_LOOK = frozenset("len isinstance print getattr hasattr id type str repr".split())
_DEEPEST = 8


class Gradients(Enum):
    """What code is known to do about gradients besides training."""

    NONE = auto()
    """It takes none: every model that it runs is in sight."""
    TAKEN = auto()
    """It takes some, and fails or computes something else where autograd is off."""
    UNKNOWN = auto()


@once
def gradients_in(file: SemanticModel, scope: ast.stmt) -> Gradients:
    """What the models and functions that a statement or function calls do about gradients."""
    calls = _calls_in_order(file)
    first = bisect_left(calls, position(scope), key=_call_position)
    found = set()
    given: set[str] = set()
    others: list[Place] = []
    for place in calls[first : bisect_left(calls, end_position(scope), key=_call_position)]:
        call = place.node
        assert isinstance(call, ast.Call)
        if _runs_backward(file, call):
            found.add(Gradients.TAKEN)
        elif model_run_by(file, place) is not None:
            found.add(gradients_of_forward(file, place))
            given |= {ast.unparse(call.func), *results_of(place)}
        elif have_effect(file.effects.called(call), EffectKind.DIFFERENTIATES):
            found.add(Gradients.TAKEN)
        else:
            others.append(place)
    if any(_may_train(file, place, given) for place in others):
        found.add(Gradients.UNKNOWN)
    return _of_all(found)


def _runs_backward(file: SemanticModel, call: ast.Call) -> bool:
    """Whether a call runs a function with a backward in it, or one that updates parameters."""
    edge = file.graph.callee.get(call)
    if edge is not None and edge.function in _functions_with_backward(file):
        return True
    return have_effect(file.effects.called(call), EffectKind.STEPS)


@once
def _functions_with_backward(file: SemanticModel) -> frozenset[Function]:
    found = (file.outline.enclosing(place.block) for place in file.outline.calls.get("backward", ()))
    return frozenset(function for function in found if function is not None)


def _may_train(file: SemanticModel, place: Place, names: set[str]) -> bool:
    """Whether a call hands a model, or its result, to code that is not in sight, and does nothing with what it gives.

    What only computes with them, as a loss or a metric does, is taken to take no gradient.
    """
    call = place.node
    assert isinstance(call, ast.Call)
    is_statement = isinstance(place.statement, ast.Expr) and place.statement.value is call
    if not isinstance(call.func, ast.Name) or not is_statement:
        return False
    key = file.keys.call(call)
    in_sight = file.graph.callee.get(call) is not None or key in file.outside.forwards or key in file.outside.returned
    if in_sight or call.func.id in _ONLY_LOOK or brings_torch(file.outline.package(call.func) or ""):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(item, ast.Name | ast.Attribute) and ast.unparse(item) in names for item in given)


@once
def _calls_in_order(file: SemanticModel) -> list[Place]:
    """All calls of a file, by where they begin."""
    return sorted(file.outline.all_calls(), key=_call_position)


def _call_position(place: Place) -> tuple[int, int]:
    assert isinstance(place.node, ast.Call)
    return position(place.node)


def gradients_of_forward(file: SemanticModel, place: Place) -> Gradients:
    """What the forward that a call of a model runs does about gradients."""
    if assigns_forward(file):
        return Gradients.UNKNOWN
    call = place.node
    assert isinstance(call, ast.Call)
    edge = file.graph.callee.get(call)
    if edge is not None:
        return _of_function(file, edge.function)
    elsewhere = file.outside.forwards.get(file.keys.call(call))
    if elsewhere is not None:
        return Gradients.TAKEN if elsewhere else Gradients.NONE
    model = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "forward" else call.func
    return _of_all(set(_models(file, model, place.block, 0)) or {Gradients.UNKNOWN})


def _of_all(found: set[Gradients]) -> Gradients:
    if Gradients.TAKEN in found:
        return Gradients.TAKEN
    return Gradients.UNKNOWN if Gradients.UNKNOWN in found else Gradients.NONE


def _of_function(file: SemanticModel, function: Function) -> Gradients:
    if any(effect.kind is EffectKind.DIFFERENTIATES for effect in file.effects.of(function)):
        return Gradients.TAKEN
    # A module of this file that takes gradients may be a part of any other, handed over when that is made.
    in_forwards = any(
        effect.kind is EffectKind.DIFFERENTIATES and called.name in ("forward", "__call__")
        for called, effects in file.own_effects.items()
        for effect in effects
        if called.owner is not None and file.kinds.is_module_class(called.owner)
    )
    return Gradients.UNKNOWN if in_forwards else Gradients.NONE


def _models(file: SemanticModel, model: ast.expr, block: Block, depth: int) -> Iterator[Gradients]:
    """The answers for the models that an expression may be."""
    bindings = file.outline.bindings(model, block)
    if isinstance(model, ast.Call) and depth <= _DEEPEST:
        yield from _gradients_of_built_model(file, model, block, depth)
    elif not bindings or depth > _DEEPEST:
        yield Gradients.UNKNOWN
    for binding in bindings if depth <= _DEEPEST else ():
        function = file.outline.function_of.get(binding.block.node) if binding.how is How.PARAMETER else None
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            yield from _models(file, binding.value, binding.block, depth + 1)
        elif function is not None:
            given = list(passed(file.graph, function, binding.name))
            if not given or file.keys.function(function) in file.outside.heats:
                yield Gradients.UNKNOWN  # others may call it with another model
            for value, outer in given:
                yield from _models(file, value, outer, depth + 1)
        else:
            yield Gradients.UNKNOWN


def _gradients_of_built_model(file: SemanticModel, call: ast.Call, block: Block, depth: int) -> Iterator[Gradients]:
    """The answers for a call that makes a model or wraps one."""
    cls = file.graph.class_named(call.func, block) if isinstance(call.func, ast.Name) else None
    name, origin = last_name(call.func), file.kinds.imported(call.func, block) or ""
    if cls is not None:
        forward = file.graph.method(cls, "forward")
        yield _of_function(file, forward) if forward is not None else Gradients.UNKNOWN
    elif isinstance(call.func, ast.Attribute) and name in _METHODS_OF_MODELS and not origin:
        yield from _models(file, call.func.value, block, depth + 1)
    elif name in _WRAPPERS and call.args:
        yield from _models(file, call.args[0], block, depth + 1)
    elif name in ("Sequential", "ModuleList"):
        for item in call.args:
            yield from _models(file, item, block, depth + 1)
    else:
        yield Gradients.NONE if origin.startswith(_LIBRARIES) else Gradients.UNKNOWN
