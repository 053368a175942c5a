"""Functions that copy to the device what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.syntax.blocks import Binding, Block, Function, How
from trainlint.analysis.syntax.names import nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.analysis.types.values import Home, Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_DEEPEST = 4
"""Names through which a part of what is drawn or given is followed."""
_HANDED_ON = frozenset({How.ASSIGN, How.FOR})


def is_part_of(node: ast.expr, block: Block, is_source: Callable[[Binding], bool], depth: int = _DEEPEST) -> bool:
    """Whether an expression is, or is a part of, what a binding gives its name that is a source."""
    for part in nodes_in(node) if depth else ():
        if isinstance(part, ast.Name):
            for binding in reaching(part.id, block, position(part)):
                if is_source(binding):
                    return True
                value = binding.value if binding.how in _HANDED_ON else None
                if value is not None and value is not node and is_part_of(value, binding.block, is_source, depth - 1):
                    return True
    return False


def parameter_moves(file: SemanticModel) -> Iterator[tuple[Function, Effect]]:
    """Function → that it copies what a parameter holds to the device."""
    for name in MOVES:
        for place in file.outline.calls.get(name, ()):
            function, call = file.graph.enclosing(place.block), place.node
            if function is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            given = _parameter(function, call.func.value, place.block)
            if given is not None and not moves_no_tensor_to_device(file, call, place.block):
                path, column = file.source.path, file.source.column(call)
                yield function, Effect(EffectKind.COPIES, path, call.lineno, column, given)


def _parameter(function: Function, node: ast.expr, block: Block) -> str | None:
    """The parameter of which an expression is a part, but for the object that a method is called on."""
    names: list[str] = []

    def is_given(binding: Binding) -> bool:
        if binding.how is How.PARAMETER and binding.block is function.body:
            names.append(binding.name)
            return True
        return False

    if not is_part_of(node, block, is_given):
        return None
    own = function.parameters[0].arg if function.takes_object else None
    return names[0] if names[0] != own else None


def moves_no_tensor_to_device(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    """Whether a call of `to` or `cuda` moves a module, changes the data type alone, or names the host."""
    assert isinstance(call.func, ast.Attribute)
    if file.kinds.of(call.func.value, block).kind is Kind.MODULE:
        return True
    kinds = {file.kinds.of(item, block).kind for item in call.args}
    return kinds == {Kind.DTYPE} or file.kinds.device_argument(call, block) is Home.HOST


def copied_by_calls(
    handed: Sequence[tuple[int, int | str]], net: CallGraph, first_call: int, effects: Mapping[int, tuple[Effect, ...]]
) -> bool:
    """Whether one of some calls runs a function that copies to the device what it is handed.

    `handed` are calls by their numbers in their file, each with the place or keyword of what counts. `first_call` is
    the number in the network of that file's first call, `effects` what functions do.
    """
    return any(
        effect.kind is EffectKind.COPIES and effect.of == _name(net.functions[edge.function].parameters, where)
        for number, where in handed
        for edge in net.callees.get(first_call + number, ())
        if edge.how is Handing.CALLED
        for effect in effects.get(edge.function, ())
    )


def _name(parameters: tuple[str, ...], where: int | str) -> str:
    """The parameter that an argument at a place, or with a keyword, is passed for; "" where there is none."""
    if isinstance(where, str):
        return where
    return parameters[where] if where < len(parameters) else ""
