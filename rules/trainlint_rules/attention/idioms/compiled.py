"""Which functions of a file `torch.compile` is given, as a decorator or in a call."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import argument, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.fact_kinds import FactKind, Use
from trainlint.contract.guard import guard

_DEEPEST = 4


@guard
def engine_compiles(site: Site) -> bool:
    """The engine is DeepSpeed's ZeRO, which has its own `compile`."""
    return Use(FactKind.FSDP, "zero") in site.file.used_around


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
