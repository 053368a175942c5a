"""Which functions of a file `torch.compile` is given, as a decorator or in a call."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import argument, constant, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import early_guard, guard

_COMPILE = "torch.compile"
_LEFT_OUT = ("disable", "graph_break", "allow_in_graph", "custom_op", "skip", "lru_cache", "cache")
"""Decorators of functions that the compiler does not look into, or runs once."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A function that runs compiled."""

    by: ast.expr
    """The decorator or the call of `torch.compile`, here or in a caller."""
    whole: bool
    """Whether `fullgraph=True` keeps reads in the graph and makes an error of each break, so that there can be none."""


@guard
def engine_compiles(site: Site) -> bool:
    """The engine is DeepSpeed's ZeRO, which has its own `compile`."""
    facts = (item.fact for item in site.file.used_around(site.block, beside=True))
    return any(fact.kind is FactKind.FSDP and fact.detail == "zero" for fact in facts)


@early_guard
def compiles_nothing(site: Site) -> bool:
    """The file does not use torch.compile."""
    return _COMPILE not in site.file.names.origins


def compiled_around(file: SemanticModel, function: Function | None) -> Compiled | None:
    """What compiles a function, itself or with a caller in the same file; None where nothing in the file does."""
    return _compiled_by_caller(file, function, _compiled_functions(file), 0) if function is not None else None


def _compiled_by_caller(
    file: SemanticModel, function: Function, given: dict[Function, Compiled], depth: int
) -> Compiled | None:
    if any(function.is_decorated(name) for name in _LEFT_OUT):
        return None
    if function in given:
        return given[function]
    if depth == _DEEPEST:
        return None
    for edge in file.graph.callers.get(function, []):
        caller = file.graph.enclosing(edge.place.block)
        if caller is not None and caller is not function and not edge.passed:
            found = _compiled_by_caller(file, caller, given, depth + 1)
            if found is not None:
                return found
    return None


def _compiled_functions(file: SemanticModel) -> dict[Function, Compiled]:
    """The functions that decorators and calls name themselves."""
    found: dict[Function, Compiled] = {}
    for place in file.outline.references:
        if not isinstance(place.node, ast.expr) or file.kinds.imported(place.node, place.block) != _COMPILE:
            continue
        called = call_of(file, place.node)
        call = called.node if called is not None and isinstance(called.node, ast.Call) else None
        whole = call is not None and constant(argument(call, "fullgraph")) is True
        function = _compiled(file, place, call)
        if function is not None:
            found[function] = Compiled(call or place.node, whole)
    return found


def _compiled(file: SemanticModel, place: Place, call: ast.Call | None) -> Function | None:
    """The function that a reference to `torch.compile`, and the call of it if there is one, decorates or is given."""
    statement = place.statement
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and not (call is not None and call.args):
        decorates = any(part is place.node for item in statement.decorator_list for part in nodes_in(item))
        return file.outline.function_of.get(statement) if decorates else None
    model = argument(call, "model", 0) if call is not None else None
    return _function_of(file, model, place.block) if model is not None else None


def _function_of(file: SemanticModel, model: ast.expr, block: Block) -> Function | None:
    """The function that calling an expression runs: a function by its name, a module's forward, a method."""
    if isinstance(model, ast.Name):
        bindings = reaching(model.id, block, position(model))
        if len(bindings) == 1 and bindings[0].how is How.FUNCTION:
            return file.outline.function_of.get(bindings[0].node)
    owner = file.graph.instance_class(model, block)
    if owner is not None:
        return owner.methods.get("forward")
    if isinstance(model, ast.Attribute) and isinstance(model.value, ast.Name):
        receiver = file.graph.instance_class(model.value, block)
        return receiver.methods.get(model.attr) if receiver is not None else None
    return None
