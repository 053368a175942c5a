"""Where a loop runs a model with autograd on, and what becomes of the results."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.calls_inside import calls_within
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.host_reads import TO_NO_TENSOR
from trainlint.analysis.types.backward import LEAVES, carries_graph, held_by
from trainlint.analysis.types.values import Kind
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_NO_MODEL = lazy(
    r"client|(^|_)api|pipe(line)?$|tokeniz|processor|transform(s|_fn)?$|augment|metric|sampler|(^|_)ema$|"
    r"(^|_)(save|load|print|get|set|build|create|make|unwrap|wrap|init|update|export|prepare|copy|clean|to|log)_|^[A-Z]",
)
"""What is called like a model and is none, or switches autograd off itself: clients, helpers, classes."""

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
    """Whether a call runs a model with autograd on."""
    call = _call(place)
    if model_run_by(file, place) is None or file.gradients.off(place.block, call.lineno):
        return False
    edge = file.graph.callee.get(call)
    return edge is None or not _switches_off_inside(file, edge.function)


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
    if value.kind is not Kind.MODULE or value.loss_function:
        return None
    return model


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
    return bool(inside) and all(file.switches.inside_off(place.block) for place in inside)


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


def is_read_detached(loop: Block, name: str) -> bool:
    """Whether the loop turns what a name holds into something without a graph."""
    for part in nodes_in(loop.node):
        if isinstance(part, ast.Call) and last_name(part.func) in _READING:
            if any(isinstance(inner, ast.Name) and inner.id == name for inner in nodes_in(part)):
                return True
    return False
