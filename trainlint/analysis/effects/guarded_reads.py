"""Functions that take numbers and tensors alike, and read what is a tensor: their callers decide what that costs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import TYPE_TESTS, position, root_name
from trainlint.analysis.syntax.reaching import reaching

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


@dataclass(frozen=True, slots=True)
class Reader:
    """A function that reads some of its parameters on the host where they are tensors."""

    title: str
    """Its qualified name."""
    where: str
    """The read, as "line 88", or "meters.py:88" in another file."""
    parameters: tuple[str, ...]
    """All that a call gives it, in order."""
    read: frozenset[str]
    """Those that it reads; "**" stands for all other keywords, "*" for all other positions."""

    def elsewhere(self, path: str) -> Reader:
        """The same reader as another file speaks of it."""
        return Reader(self.title, self.where.replace("line ", f"{path}:"), self.parameters, self.read)

    def given_to_read(self, call: ast.Call) -> list[ast.expr]:
        """The arguments of a call that the function reads if they are tensors. `**values` stands for what it holds."""
        found = []
        for place, item in enumerate(call.args):
            if isinstance(item, ast.Starred):
                break
            name = self.parameters[place] if place < len(self.parameters) else "*"
            if name in self.read:
                found.append(item)
        for keyword in call.keywords:
            name = keyword.arg if keyword.arg in self.parameters else "**"
            if name in self.read:
                found.append(keyword.value)
        return found


def decided_by_callers(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a read such as `x.item()` happens only if a parameter, or a part of one, is a tensor."""
    return _parameter_read(file, call, block) is not None


def readers(file: SemanticModel) -> Mapping[Function, Reader]:
    """The functions of a file that read what their callers give them, if it is a tensor."""
    if not any(name in file.outline.calls for name in TYPE_TESTS):
        return {}  # no read is guarded
    from trainlint.analysis.tables.host_reads import TO_HOST

    found: dict[Function, dict[str, int]] = {}
    for name in sorted(TO_HOST):
        for place in file.outline.calls.get(name, ()):
            function = file.graph.enclosing(place.block)
            parameter = _parameter_read(file, place.node, place.block) if isinstance(place.node, ast.Call) else None
            if function is not None and parameter is not None and not _is_rare(file, place):
                found.setdefault(function, {}).setdefault(parameter, getattr(place.node, "lineno", 0))
    return {
        function: Reader(
            function.qualified_name, f"line {min(lines.values())}", _parameter_names(function), frozenset(lines)
        )
        for function, lines in found.items()
    }


def _parameter_names(function: Function) -> tuple[str, ...]:
    names = tuple(item.arg for item in function.parameters)
    return names[1:] if function.takes_object else names


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
