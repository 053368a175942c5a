"""From a file's tree to its skeleton: what gradient mode, effects and values need of it, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Mapping, Sequence

from trainlint.analysis.callgraph.skeleton import (
    NOWHERE,
    CallLink,
    CallShape,
    FunctionShape,
    Handing,
    Shape,
    Skeleton,
)
from trainlint.analysis.programs.grad_mode import Switches
from trainlint.analysis.syntax.blocks import Block, Class, Function, Place
from trainlint.analysis.syntax.local_calls import LocalCalls, entered_calls
from trainlint.analysis.syntax.names import dotted, last_name
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.stable_keys import Keys
from trainlint.analysis.tables.common_names import FOREIGN, PLAIN_METHODS
from trainlint.analysis.tables.frameworks.roles import gradients_off
from trainlint.analysis.tables.frameworks.trainers import names_trainer
from trainlint.analysis.tables.function_arguments import LOADER_ARGUMENTS, position_of_function
from trainlint.analysis.tables.loaders import TORCH_CLASSES

_TRAINER_OF_FUNCTIONS = "Engine"
"""Ignite's trainer, which is built from the function that takes a step."""


def bases_of(outline: Outline) -> dict[str, tuple[str, ...]]:
    """For each class, all base classes that are known, nearest first."""
    return {name: tuple(dict.fromkeys(_bases(outline, cls, 0))) for name, cls in outline.classes.items()}


def _bases(outline: Outline, cls: Class, depth: int) -> list[str]:
    names: list[str] = []
    for base in cls.node.bases:
        names.append(outline.origin(base) or dotted(base) or last_name(base))
        parent = outline.classes.get(last_name(base))
        if parent is not None and parent is not cls and depth < 8:
            names += _bases(outline, parent, depth + 1)
    return [name for name in names if name]


def skeleton(
    path: str,
    outline: Outline,
    graph: LocalCalls,
    training: Container[ast.AST],
    switches: Switches,
    keys: Keys,
    calls: Sequence[Place],
    *,
    bases: dict[str, tuple[str, ...]],
    is_test_file: bool,
) -> Skeleton:
    """The skeleton of one file. `calls` are its telling calls."""
    numbers = {function: number for number, function in enumerate(outline.functions)}
    entered = entered_calls(outline)
    functions = []
    for function in outline.functions:
        owner = function.owner.name if function.owner is not None else None
        hook_off = gradients_off(function.name, owner, bases.get(owner or "", ()))
        functions.append(
            FunctionShape(
                key=keys.function(function),
                name=function.name,
                qualified_name=function.qualified_name,
                owner=owner,
                body=function.body.number,
                outside=function.outside.number,
                off=hook_off or switches.decorated_off(function),
                outside_off=switches.off(function.outside, _line(function, outline)),
                parameters=tuple(item.arg for item in function.parameters[function.takes_object :]),
            )
        )
    return Skeleton(
        path=path,
        shapes=tuple(_shape(block) for block in outline.blocks),
        functions=tuple(functions),
        calls=tuple(_call(place, graph, training, switches, numbers, keys, entered) for place in calls),
        bases=bases,
        is_test_file=is_test_file,
    )


def _line(function: Function, outline: Outline) -> int | None:
    """From where on switches around a function hold in it: a function of the module runs after all of the module."""
    return getattr(function.node, "lineno", None) if outline.enclosing(function.outside) is not None else None


def telling_calls(outline: Outline, graph: LocalCalls, training: Container[ast.AST]) -> list[Place]:
    """Calls that prove a step, or that run functions of this or perhaps of another file, in their skeleton's order."""
    takers = (*TORCH_CLASSES, *(name for name in outline.calls if names_trainer(name)))
    taking = {place.node for name in takers for place in outline.calls.get(name, ())}
    telling = graph.callee.keys() | taking | graph.handed.keys() | graph.entered.keys()
    found: list[Place] = []
    for name, places in outline.calls.items():
        if position_of_function(name) is not None:
            found += places
        else:
            found += [
                place
                for place in places
                if place.node in telling or may_leave(outline, place) or place.node in training
            ]
    return found


def may_leave(outline: Outline, place: Place) -> bool:
    """Whether a call could run a function of another file of the project, by the names that it calls."""
    call = place.node
    assert isinstance(call, ast.Call)
    func = call.func
    if type(func) is ast.Attribute:
        package = outline.package(func)
        return func.attr not in PLAIN_METHODS if package is None else package not in FOREIGN
    if type(func) is ast.Name:
        package = outline.package(func)
        if package is not None:
            return package not in FOREIGN
        return place.block.scope.owner(func.id) is not None or outline.may_be_starred(func.id, place.block)
    return type(func) is ast.Call or type(func) is ast.Subscript


def _call(
    place: Place,
    graph: LocalCalls,
    training: Container[ast.AST],
    switches: Switches,
    numbers: Mapping[Function, int],
    keys: Keys,
    entered: Collection[ast.AST],
) -> CallShape:
    call = place.node
    assert isinstance(call, ast.Call)
    edge = graph.callee.get(call)
    links = [CallLink(numbers[edge.function], edge.confidence)] if edge is not None else []
    links += [CallLink(numbers[item], 1.0) for item in graph.entered.get(call, ())]
    links += [CallLink(numbers[item], 0.6, _handing(call, item.name)) for item in graph.handed.get(call, ())]
    return CallShape(
        block=place.block.number,
        line=call.lineno,
        proves_step=call in training,
        links=tuple(links),
        off=switches.off(place.block, call.lineno),
        key=keys.call(call),
        entered=call in entered,
    )


def _handing(call: ast.Call, name: str) -> Handing:
    """When a function runs that is an argument of a call."""
    for keyword in call.keywords:
        if keyword.arg in LOADER_ARGUMENTS and last_name(keyword.value) == name:
            return Handing.WORKER
    called = last_name(call.func)
    if called == "step":
        return Handing.CLOSURE
    if called == _TRAINER_OF_FUNCTIONS:
        return Handing.HOOK
    position = position_of_function(called)
    runs = position is not None and position < len(call.args) and last_name(call.args[position]) == name
    return Handing.RUN if runs else Handing.PASSED


def _shape(block: Block) -> Shape:
    parent = block.parent.number if block.parent is not None else NOWHERE
    return Shape(block.kind, parent, getattr(block.node, "lineno", 0))
