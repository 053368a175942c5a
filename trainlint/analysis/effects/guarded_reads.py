"""Functions that take numbers and tensors alike, and read what is a tensor: their callers decide what that costs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import TYPE_TESTS, position, root_name
from trainlint.analysis.syntax.reaching import reaching

if TYPE_CHECKING:
    from trainlint.analysis.effects.effect import Effect
    from trainlint.analysis.semantic_model import SemanticModel


def guarded_reads(file: SemanticModel) -> Iterator[tuple[Function, Effect]]:
    """Function → that it reads what its callers give it, if it is a tensor."""
    if not any(name in file.outline.calls for name in TYPE_TESTS):
        return  # no read is guarded
    from trainlint.analysis.effects.effect import Effect, EffectKind
    from trainlint.analysis.tables.host_reads import TO_HOST

    for name in sorted(TO_HOST):
        for place in file.outline.calls.get(name, ()):
            function = file.graph.enclosing(place.block)
            parameter = _parameter_read(file, place.node, place.block) if isinstance(place.node, ast.Call) else None
            if function is not None and parameter is not None and not _is_rare(file, place):
                assert isinstance(place.node, ast.Call)
                path, line, column = file.source.path, place.node.lineno, file.source.column(place.node)
                yield function, Effect(EffectKind.READS, path, line, column, parameter)


def _is_rare(file: SemanticModel, place: Place) -> bool:
    """Whether the function itself reads only in few steps."""
    return any(condition.rare for condition in file.conditions.around(place.block))


def _parameter_read(file: SemanticModel, call: ast.AST, block: Block) -> str | None:
    """The parameter whose value, or a part of it, a guarded read is about."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    function = file.graph.enclosing(block)
    name = root_name(call.func.value)
    if function is None or not name or not _is_guarded(name, block):
        return None
    return _parameter_behind(function, name, block, call)


def _is_guarded(name: str, block: Block) -> bool:
    from trainlint.analysis.conditions.values.tested_values import tensors_tested

    return any(root_name(test.value) == name for test in tensors_tested(block))


def _parameter_behind(function: Function, name: str, block: Block, use: ast.expr) -> str | None:
    arguments = function.node.args
    for binding in reaching(name, block, position(use)):
        if binding.how is How.PARAMETER and binding.block is function.body:
            return name
        if binding.how is How.FOR and binding.value is not None:
            source = root_name(binding.value)
            if arguments.kwarg is not None and source == arguments.kwarg.arg:
                return "**"
            if arguments.vararg is not None and source == arguments.vararg.arg:
                return "*"
            if source in {item.arg for item in function.parameters}:
                return source
    return None
