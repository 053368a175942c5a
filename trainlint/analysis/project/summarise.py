"""From the model of one file to its summary."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.effects.default_device import sets_default_device
from trainlint.analysis.effects.item_code import GIVES_ITEMS, facts_for_others
from trainlint.analysis.programs.old_names.old_amp import tests_for_old_scaler
from trainlint.analysis.project.frameworks.configured import arguments_returned
from trainlint.analysis.project.submodules import put_by_calls, submodule_of_loop
from trainlint.analysis.project.summary import ClassSummary, FunctionSummary, OutgoingCall, Summary
from trainlint.analysis.syntax.assigned_names import assigned_in_libraries
from trainlint.analysis.syntax.blocks import Block, Class, Function, How, Place
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.syntax.taken_names import taken_names
from trainlint.analysis.tables.common_names import FOREIGN
from trainlint.analysis.tables.frameworks.trainers import MODEL, names_trainer
from trainlint.analysis.tables.function_arguments import LOADER_ARGUMENTS, position_of_function
from trainlint.analysis.types import declared_types as declarations
from trainlint.analysis.types.access_paths import SOME, AccessPath, Start
from trainlint.analysis.types.calls.scattered_arguments import handed_over
from trainlint.analysis.types.parameters import annotation_value, tells_only_kind
from trainlint.analysis.types.structures.displays import is_long_display
from trainlint.analysis.types.structures.fillings import table_entries
from trainlint.analysis.types.unpinnable import unpinnable_of
from trainlint.analysis.types.values import Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_MOST_ARGUMENTS = 40
_TELLING = frozenset({Kind.UNKNOWN, Kind.MODULE})
"""Kinds of objects whose methods may be the project's own."""


def summarise(file: SemanticModel) -> Summary:
    """What other files need to know of one file."""
    fills = _fills(file)
    return Summary(
        skeleton=file.skeleton,
        names=dict(_names(file)),
        tables=dict(_tables(file)),
        entries=dict(_entries(file)),
        stars=tuple(file.outline.stars),
        functions={
            file.keys.function(function): _function(file, function, fills.get(function, ()))
            for function in file.outline.functions
        },
        classes={name: _class(file, cls) for name, cls in file.outline.classes.items()},
        calls=tuple(_calls(file)),
        facts=file.facts,
        unpinnable=unpinnable_of(file),
        lookups=file.lookups,
        code=file.code_units,
        tests_old_scaler=tests_for_old_scaler(file),
        takes=taken_names(file),
        sets_default_device=sets_default_device(file),
        assigned_names=assigned_in_libraries(file),
        loaders=dict(_loaders(file)),
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


def _entries(file: SemanticModel) -> Iterator[tuple[str, tuple[AccessPath, ...]]]:
    for name, bindings in file.outline.module.scope.bindings.items():
        value = bindings[0].value
        if len(bindings) == 1 and isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.Call):
            entries = table_entries(file.kinds, bindings[0])
            if entries:
                yield name, entries
    for name, cls in file.outline.classes.items():
        for attribute, bindings in cls.attributes.items():
            if len(bindings) == 1 and is_long_display(bindings[0].value):
                entries = table_entries(file.kinds, bindings[0])
                if entries:
                    yield f"{name}.{attribute}", entries


def _fills(file: SemanticModel) -> dict[Function, tuple[str, ...]]:
    """Function at the top of the file → the containers of the file into which it puts what it is given."""
    found: dict[Function, dict[str, None]] = {}
    for name, places in file.outline.fillings.items():
        for place in places:
            node = place.node.args[0] if isinstance(place.node, ast.Call) and place.node.args else place.node
            function = file.outline.enclosing(place.block)
            if (
                function is None
                or not isinstance(node, ast.Name)
                or place.block.scope.owner(name) is not file.outline.module.scope
            ):
                continue
            owner = place.block.scope.owner(node.id)
            if owner is not None and any(item.how is How.PARAMETER for item in owner.bindings[node.id]):
                while (outer := file.outline.enclosing(function.outside)) is not None:
                    function = outer
                found.setdefault(function, {})[name] = None
    return {function: tuple(names) for function, names in found.items()}


def _function(file: SemanticModel, function: Function, fills: tuple[str, ...]) -> FunctionSummary:
    return FunctionSummary(
        parameters=tuple(item.arg for item in function.parameters),
        bound=function.takes_object,
        returned=file.kinds.outcome(function),
        of_class=function.owner is not None and function.is_decorated("classmethod"),
        declared=declarations.of_function(file, function),
        decorators=_decorators(file, function.decorators, function.outside),
        fills=fills,
        arguments=arguments_returned(file, function),
        items=facts_for_others(file, function),
        told_by_callers=tuple([item.arg for item in function.parameters if _is_told_by_callers(item.annotation)]),
    )


def _decorators(file: SemanticModel, decorators: Sequence[ast.expr], block: Block) -> tuple[AccessPath, ...]:
    found = [each for item in decorators for each in file.kinds.of(item, block).access_paths]
    return tuple([each for each in found if each.start is not Start.NAME or each.of.partition(".")[0] not in FOREIGN])


def _is_told_by_callers(annotation: ast.expr | None) -> bool:
    """Whether an annotation leaves open what a parameter holds, or where its tensors are."""
    annotated = annotation_value(annotation)
    return annotated is None or tells_only_kind(annotated)


def _class(file: SemanticModel, cls: Class) -> ClassSummary:
    bases = [access_path for base in cls.node.bases for access_path in file.kinds.of(base, cls.outside).access_paths]
    put = put_by_calls(file, cls)
    own = {name: file.kinds.self_attribute(cls, name) for name in cls.attributes}
    return ClassSummary(
        bases=tuple(bases),
        methods={name: file.keys.function(method) for name, method in cls.methods.items()},
        attributes={name: value for name, value in put.items() if SOME not in name} | own,
        put={name: value for name, value in put.items() if SOME in name},
        declared=declarations.of_class(file, cls),
        decorators=_decorators(file, cls.node.decorator_list, cls.outside),
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
        how, runs = _runs(file, place, call)
        yield OutgoingCall(
            number=number,
            how=how,
            runs=runs,
            targets=of(call.func, block).access_paths,
            otherwise=submodule_of_loop(file, call, block),
            method=_method(file, place, call),
            arguments=tuple([handed_over(file.kinds, call, item, block) for item in plain]),
            keywords=tuple([(name, handed_over(file.kinds, call, value, block)) for name, value in keywords]),
        )


def _loaders(file: SemanticModel) -> Iterator[tuple[str, tuple[tuple[AccessPath, ...], tuple[AccessPath, ...]]]]:
    for loader in file.loaders.built.values():
        given = argument(loader.call, "dataset", 0), file.loaders.option(loader, "collate_fn").value
        found = [file.kinds.of(item, loader.block).access_paths if item is not None else () for item in given]
        if any(found):
            yield file.keys.call(loader.call), (found[0], found[1])


_NAMED_FUNCTIONS = (Start.NAME, Start.LOCAL)
"""Where the access path of a function begins that stands under its own name."""


def _runs(file: SemanticModel, place: Place, call: ast.Call) -> tuple[Handing, tuple[AccessPath, ...]]:
    """What a call runs of what it is given, and how."""
    of, block = file.kinds.of, place.block
    if call in file.loaders.built:
        given = [keyword.value for keyword in call.keywords if keyword.arg in LOADER_ARGUMENTS]
        found = [each for item in given for each in of(item, block).access_paths]
        dataset = argument(call, "dataset", 0)
        held = of(dataset, block).access_paths if dataset is not None else ()
        return Handing.WORKER, (*found, *(each.then(method) for each in held for method in GIVES_ITEMS))
    trained = _trained(file, call, block)
    if trained:
        return Handing.HOOK, trained
    position = position_of_function(last_name(call))
    if position is not None and position < len(call.args) and place.node not in file.graph.callee:
        return Handing.RUN, of(call.args[position], block).access_paths
    functions = _wrapped_functions(file, call.func, block)
    return (Handing.RUN, functions) if functions else (Handing.CALLED, ())


def _trained(file: SemanticModel, call: ast.Call, block: Block) -> tuple[AccessPath, ...]:
    """The model that a call gives to what may be a framework's trainer, by its name."""
    model = argument(call, MODEL, 0) if names_trainer(last_name(call)) else None
    return file.kinds.of(model, block).access_paths if model is not None else ()


def _wrapped_functions(file: SemanticModel, called: ast.expr, block: Block) -> tuple[AccessPath, ...]:
    """The functions that run where the result of a function is called that was given them: `f` in `retried(f)(x)`.

    What is built from an object, as a model from its parts, seldom is that object under another name.
    """
    made = called if isinstance(called, ast.Call) else single_value(called, block)
    if not isinstance(made, ast.Call) or not made.args or last_name(made.func)[:1].isupper():
        return ()
    named = file.kinds.of(made.args[0], block).access_paths
    return tuple([path for path in named if path.start in _NAMED_FUNCTIONS and not path.path])


def _method(file: SemanticModel, place: Place, call: ast.Call) -> str:
    func = call.func
    if not isinstance(func, ast.Attribute) or place.node in file.graph.callee:
        return ""
    if file.kinds.imported(func, place.block) is not None:
        return ""
    return func.attr if file.kinds.of(func.value, place.block).kind in _TELLING else ""
