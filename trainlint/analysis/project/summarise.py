"""From the model of one file to its summary."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.project.summary import ClassSummary, FunctionSummary, OutgoingCall, Summary
from trainlint.analysis.syntax.blocks import Class, Function, How, Place
from trainlint.analysis.types import declared_types as declarations
from trainlint.analysis.types.access_paths import AccessPath, Start
from trainlint.analysis.types.parameters import annotation_value, tells_only_kind
from trainlint.analysis.types.values import Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MOST_ARGUMENTS = 40
_TELLING = frozenset({Kind.UNKNOWN, Kind.MODULE})
"""Kinds of objects whose methods may be the project's own."""


def summarise(file: SemanticModel) -> Summary:
    """What other files need to know of one file."""
    return Summary(
        skeleton=file.skeleton,
        names=dict(_names(file)),
        tables=dict(_tables(file)),
        stars=tuple(file.outline.stars),
        functions={file.keys.function(function): _function(file, function) for function in file.outline.functions},
        classes={name: _class(file, cls) for name, cls in file.outline.classes.items()},
        calls=tuple(_calls(file)),
        options={name: frozenset(values) for name, values in file.flags.declared().items()},
        facts=file.facts,
    )


def _names(file: SemanticModel) -> Iterator[tuple[str, tuple[AccessPath, ...]]]:
    for name, bindings in file.outline.module.scope.bindings.items():
        access_paths: dict[AccessPath, None] = {}
        for binding in bindings:
            if binding.how in (How.FUNCTION, How.CLASS):
                access_paths[AccessPath(Start.LOCAL, name)] = None
            elif binding.how in (How.IMPORT, How.ASSIGN):
                access_paths |= dict.fromkeys(file.kinds.binding(binding).access_paths)
        if access_paths:
            yield name, tuple(access_paths)


def _tables(file: SemanticModel) -> Iterator[tuple[str, Value]]:
    for name, bindings in file.outline.module.scope.bindings.items():
        if len(bindings) == 1 and isinstance(bindings[0].value, ast.Dict | ast.List | ast.Tuple):
            table = file.kinds.binding(bindings[0])
            if table.element is not None and table.element.access_paths:
                yield name, table


def _function(file: SemanticModel, function: Function) -> FunctionSummary:
    return FunctionSummary(
        parameters=tuple(item.arg for item in function.parameters),
        bound=function.takes_object,
        returned=file.kinds.outcome(function),
        reader=file.readers.get(function),
        of_class=function.owner is not None and function.is_decorated("classmethod"),
        declared=declarations.of_function(file, function),
        told_by_callers=tuple([item.arg for item in function.parameters if _is_told_by_callers(item.annotation)]),
    )


def _is_told_by_callers(annotation: ast.expr | None) -> bool:
    """Whether an annotation leaves open what a parameter holds, or where its tensors are."""
    annotated = annotation_value(annotation)
    return annotated is None or tells_only_kind(annotated)


def _class(file: SemanticModel, cls: Class) -> ClassSummary:
    bases = [access_path for base in cls.node.bases for access_path in file.kinds.of(base, cls.outside).access_paths]
    return ClassSummary(
        bases=tuple(bases),
        methods={name: file.keys.function(method) for name, method in cls.methods.items()},
        attributes={name: file.kinds.self_attribute(cls, name) for name in cls.attributes},
        declared=declarations.of_class(file, cls),
    )


def _calls(file: SemanticModel) -> Iterator[OutgoingCall]:
    for number, place in enumerate(file.telling_calls):
        call = place.node
        assert isinstance(call, ast.Call)
        of, block = file.kinds.of, place.block
        given = call.args[:_MOST_ARGUMENTS]
        stars = [index for index, item in enumerate(given) if isinstance(item, ast.Starred)]
        plain = given[: stars[0]] if stars else given
        keywords = [(item.arg, item.value) for item in call.keywords[:_MOST_ARGUMENTS] if item.arg is not None]
        yield OutgoingCall(
            number=number,
            targets=of(call.func, block).access_paths,
            method=_method(file, place, call),
            arguments=tuple([of(item, block) for item in plain]),
            keywords=tuple([(name, of(value, block)) for name, value in keywords]),
        )


def _method(file: SemanticModel, place: Place, call: ast.Call) -> str:
    func = call.func
    if not isinstance(func, ast.Attribute) or place.node in file.graph.callee:
        return ""
    if file.kinds.imported(func, place.block) is not None:
        return ""
    return func.attr if file.kinds.of(func.value, place.block).kind in _TELLING else ""
