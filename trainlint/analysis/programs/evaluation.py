"""Where a loop runs a model with autograd on, and what becomes of the results."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, BlockKind, Function, How, Place, Scope
from trainlint.analysis.syntax.calls_inside import calls_within
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import constant, dotted, end_position, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import loads
from trainlint.analysis.tables.host_reads import TO_NO_TENSOR
from trainlint.analysis.types.backward import LEAVES, BackwardFlow, carries_graph, held_by
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_NO_MODEL = lazy(
    r"client|(^|_)api|pipe(line)?$|tokeniz|processor|transform(s|_fn)?$|augment|metric|sampler|(^|_)ema$|"
    r"(^|_)(save|load|print|get|set|build|create|make|unwrap|wrap|init|update|export|prepare|copy|clean|to|log)_|^[A-Z]",
)
"""What is called like a model and is none, or switches autograd off itself: clients, helpers, classes."""

_METHODS_OF_TABLES = frozenset({"head"})
_NEEDS_GRADIENTS = lazy(
    r"(^|_)(requires_grad_?|autograd|enable_grad|grad|grads|gradients?|backward|attack\w*|adversar\w*|perturb\w*|pgd|"
    r"fgsm|saliency|attributions?|explain\w*|explanations?|grad_?cam|jacobian|hessian|fisher|influence|jvp|vjp|"
    r"test_time)($|_)",
    re.IGNORECASE,
)
"""Words of code that wants gradients while it evaluates."""
_SWITCHES = lazy(r"zero_grad|no_grad|grad_enabled|clip_grad", re.IGNORECASE)
_TRAINS = lazy(r"^optim\w*$|_optim\w{0,50}$|^(train_step|training_step|train_batch)$", re.IGNORECASE)
"""What a loop calls, or hands over, that trains out of sight."""
_ENVIRONMENT = lazy(r"(^|_)envs?($|_)", re.IGNORECASE)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_READING = TO_NO_TENSOR | {"argmax", "detach", "multinomial"}


@once
def forwards_with_graph(file: SemanticModel, loop: Block) -> list[Place]:
    """Calls of a model inside a loop that build a graph: autograd is on there and in the model, which is not frozen.

    Only calls of the model itself and of its `forward` count, and of other methods that the file defines: methods
    from elsewhere often switch autograd off themselves.
    """
    found = [place for place in calls_within(file, loop) if builds_graph(file, place)]
    return sorted(found, key=lambda place: position(_call(place)))


def steps_environment(file: SemanticModel, loop: Block) -> bool:
    """Whether a loop steps a simulator: actions must reach the host, and only what trains counts as a step."""
    calls = [_call(place).func for place in file.outline.calls.get("step", ()) if place.block.within(loop)]
    return any(isinstance(func, ast.Attribute) and _ENVIRONMENT.search(last_name(func.value)) for func in calls)


@once
def builds_graph(file: SemanticModel, place: Place) -> bool:
    """Whether a call runs a model whose parameters are not frozen, with autograd on."""
    call = _call(place)
    model = model_run_by(file, place)
    if model is None or file.gradients.off(place.block, call.lineno):
        return False
    edge = file.graph.callee.get(call)
    if edge is not None and _switches_off_inside(file, edge.function):
        return False
    return not _is_frozen(file, model)


def _call(place: Place) -> ast.Call:
    assert isinstance(place.node, ast.Call)
    return place.node


@once
def model_run_by(file: SemanticModel, place: Place) -> ast.expr | None:
    """The model that a call runs; None for losses, metrics and everything else."""
    call, block = _call(place), place.block
    model = call.func
    if isinstance(model, ast.Attribute) and (model.attr == "forward" or _is_own_method(file, call)):
        model = model.value
    if not isinstance(model, ast.Name | ast.Attribute | ast.Subscript) or not (call.args or call.keywords):
        return None
    if _NO_MODEL.search(last_name(model)) or file.outline.imported(model, block) is not None:
        return None
    if isinstance(model, ast.Name) and any(
        item.how in (How.FUNCTION, How.CLASS, How.IMPORT) for item in reaching(model.id, block, position(model))
    ):
        return None
    value = file.kinds.of(model, block)
    if value.kind is not Kind.MODULE or value.loss_function or _may_be_of_table(file, model, block):
        return None
    return model


def _may_be_of_table(file: SemanticModel, model: ast.expr, block: Block) -> bool:
    """Whether this may be a method of a table, as in `table.head(5)`: nothing but its name says that it is a module."""
    if not isinstance(model, ast.Attribute) or model.attr not in _METHODS_OF_TABLES:
        return False
    is_guess = not file.kinds.of(model, block).proved
    is_own = isinstance(model.value, ast.Name) and file.outline.self_class(model.value, block) is not None
    return is_guess and not is_own and file.kinds.of(model.value, block).kind is not Kind.MODULE


def _is_own_method(file: SemanticModel, call: ast.Call) -> bool:
    """Whether a call runs a method, defined in the file, of a module that runs parts of it."""
    edge = file.graph.callee.get(call)
    if edge is None or edge.function.owner is None or not file.kinds.is_module_class(edge.function.owner):
        return False
    return bool(_models_run_by(file, edge.function))


@once
def _models_run_by(file: SemanticModel, function: Function) -> list[Place]:
    """Calls of modules inside a function."""
    return [place for place in calls_within(file, function.body) if _is_module(file, _call(place).func, place.block)]


def _is_module(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and file.kinds.of(node, block).kind is Kind.MODULE


def _switches_off_inside(file: SemanticModel, function: Function) -> bool:
    """Whether a function of the file runs its own calls with autograd off, by a decorator or by `with` blocks."""
    if file.gradients.decorated_off(function):
        return True
    inside = _models_run_by(file, function)
    return bool(inside) and all(_in_block_without_graph(file, place.block, function) for place in inside)


def _in_block_without_graph(file: SemanticModel, block: Block, function: Function) -> bool:
    current: Block | None = block
    while current is not None and current is not function.body:
        if current.kind is BlockKind.WITH and file.gradients.off(current):
            return True
        current = current.parent
    return False


def _is_frozen(file: SemanticModel, model: ast.expr) -> bool:
    """Whether the file switches off the gradients of all parameters of a model."""
    name = dotted(model)
    if name is None:
        return False
    for place in file.outline.calls.get("requires_grad_", ()):
        call = _call(place)
        if isinstance(call.func, ast.Attribute) and constant(call.args[0] if call.args else None) is False:
            if dotted(call.func.value) == name or _parameters_of(file, call.func.value, place.block) == name:
                return True
    for place in file.outline.stores.get("requires_grad", ()):
        statement = place.statement
        if isinstance(statement, ast.Assign) and constant(statement.value) is False:
            for target in statement.targets:
                if isinstance(target, ast.Attribute) and _parameters_of(file, target.value, place.block) == name:
                    return True
    return False


def _parameters_of(file: SemanticModel, parameter: ast.expr, block: Block) -> str | None:
    """The model over whose parameters a loop goes, by the loop's variable."""
    if not isinstance(parameter, ast.Name):
        return None
    for binding in reaching(parameter.id, block, position(parameter)):
        source = binding.value
        if binding.how is How.FOR and isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
            if source.func.attr in ("parameters", "named_parameters"):
                return dotted(source.func.value)
    return None


@once
def wants_gradients(file: SemanticModel, loop: Block) -> bool:
    """Whether the code around wants gradients for another reason than training, or trains in a way of its own."""
    function = file.graph.enclosing(loop)
    trains_elsewhere = function is not None and file.heats.trains(function.node)
    # What a function that also trains says of gradients outside of this loop belongs to the training.
    looked_at = function.node if function is not None and not trains_elsewhere else loop.node
    words = _words(file, looked_at)
    if function is not None:
        words = words | {function.name}
    if any(_NEEDS_GRADIENTS.search(word) and not _SWITCHES.search(word) for word in words):
        return True
    return any(
        _TRAINS.search(last_name(item))
        for part in nodes_in(loop.node)
        if isinstance(part, ast.Call)
        for item in (part.func, *part.args, *(keyword.value for keyword in part.keywords))
    )


@once
def _words(file: SemanticModel, node: ast.AST) -> frozenset[str]:
    return frozenset(last_name(part) for part in nodes_in(node) if isinstance(part, ast.Call | ast.Attribute))


def results_of(place: Place) -> set[str]:
    """The names that hold, with its graph, what a forward returned or what its statement made of it."""
    statement, call = place.statement, _call(place)
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return) and statement.value is not None:
        if not carries_graph(statement.value, call):
            return set()
        if isinstance(statement, ast.Return):
            return {LEAVES}
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {name for target in targets for name in held_by(target)}
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value
        if isinstance(called.func, ast.Attribute) and any(carries_graph(item, call) for item in called.args):
            return set(held_by(called.func.value))
        return set()
    return {LEAVES}  # the head of a loop, a test, a context: followed no further


def carried_out(file: SemanticModel, loop: Block, forwards: list[Place]) -> set[str]:
    """The names through which results of forwards in a loop, with their graphs, are seen outside of it."""
    inside = BackwardFlow(loop.node).seen_from(None)
    reached = {other for place in forwards for name in results_of(place) for other in inside.reached(name)}
    return {name for name in reached if name == LEAVES or _is_seen_outside(file, loop, name)}


def _is_seen_outside(file: SemanticModel, loop: Block, name: str) -> bool:
    scope = loop.scope.owner(name)
    if scope is None:
        return "." in name or "<" not in name
    bound, seen = _loops_of(file, scope, name)
    return loop in seen or loop not in bound  # else something from outside was filled


@once
def _loops_of(file: SemanticModel, scope: Scope, name: str) -> tuple[set[Block], set[Block]]:
    """The blocks that bind a name of a scope, and the loops that are over when what they bound to it is read."""
    bound = {loop for binding in scope.bindings[name] for loop in binding.block.outwards()}
    seen: set[Block] = set()
    for node, statement in loads(scope.node, name):
        for binding in reaching(name, file.outline.block_of[statement], position(node)):
            for loop in binding.block.outwards():
                if isinstance(loop.node, _LOOPS) and not _stands_in(statement, loop.node):
                    seen.add(loop)
    return bound, seen


def _stands_in(statement: ast.stmt, loop: ast.stmt) -> bool:
    return position(loop) <= position(statement) and end_position(statement) <= end_position(loop)


def is_read_detached(loop: Block, name: str) -> bool:
    """Whether the loop turns what a name holds into something without a graph."""
    for part in nodes_in(loop.node):
        if isinstance(part, ast.Call) and last_name(part.func) in _READING:
            if any(isinstance(inner, ast.Name) and inner.id == name for inner in nodes_in(part)):
                return True
    return False
