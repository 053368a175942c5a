"""Forwards outside of loops over a loader whose results are only looked at: predictions, previews, chosen actions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import builds_graph, forwards_with_graph, model_run_by, wants_gradients
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, nodes_in, position, root_name
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.host_reads import TO_NO_TENSOR
from trainlint.analysis.types.backward import held_by
from trainlint_rules.memory.idioms.unused_graphs import graph_is_unused

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

READS = TO_NO_TENSOR | {"argmax", "multinomial"}
"""Calls that make of a forward's result what carries no graph, mostly for the host."""
_DEEPEST = 4
"""Through how many names a read is followed back to a forward."""


@dataclass(frozen=True, slots=True)
class Interlude:
    """What a function does between `model.eval()` and the `model.train()` after it."""

    forwards: list[Place]
    """Forwards of that model with autograd on, but for those in loops over a loader."""
    toggle: Place | None
    """Where it takes `requires_grad` from each parameter for that time only, so that a forward records nothing."""


def interlude(file: SemanticModel, switch: Place) -> Interlude | None:
    """What happens between a call of `model.eval()` and the next `model.train()` in its function; None without such."""
    network, body = _switched(switch), _body(file, switch)
    start = _line(switch)
    stop = _next_training(file, network, body, start) if network is not None else None
    if network is None or stop is None or file.gradients.off(switch.block, start):
        return None
    if any(start < _line(place) < stop for places in file.loops.evidence().values() for place in places):
        return None
    between = [
        place
        for place in _forwards_of(file, network, body)
        if start < _line(place) < stop and not in_evaluation_loop(file, place) and not _is_bare(place)
    ]
    return Interlude(between, _toggle(file, network, body, range(start + 1, stop)))


def _next_training(file: SemanticModel, network: str, body: Block, start: int) -> int | None:
    """The first line behind another at which a function puts a network into training mode; None without such."""
    calls = (place for place in file.outline.calls.get("train", ()) if _switched(place) == network)
    lines = (_line(place) for place in calls if _trains(place) and _body(file, place) is body)
    return min((line for line in lines if line > start), default=None)


def _trains(switch: Place) -> bool:
    assert isinstance(switch.node, ast.Call)
    return not switch.node.args or constant(switch.node.args[0]) is not False


def _toggle(file: SemanticModel, network: str, body: Block, lines: range) -> Place | None:
    """The loop that switches off `requires_grad` of a network within lines, where another one switches it on again.

    Between them the network runs, with autograd on as far as that is not known.
    """
    off, on = (_assignments(file, network, body, lines, value) for value in (False, True))
    if not off or not on:
        return None
    first, last = off[0].statement.lineno, on[-1].statement.lineno
    runs = (place for place in file.outline.calls.get(network.rpartition(".")[2], ()) if first < _line(place) < last)
    if not any(dotted(getattr(place.node, "func", place.node)) == network for place in runs):
        return None
    loop = next(iter(off[0].block.loops()), None)
    return Place(loop.node.iter, loop, loop.node) if loop is not None and isinstance(loop.node, ast.For) else None


def _assignments(file: SemanticModel, network: str, body: Block, lines: range, value: bool) -> list[Place]:
    """Where a function sets `requires_grad` of all parameters of a network to a value, within lines."""
    return [
        place
        for place in file.outline.stores.get("requires_grad", ())
        if place.statement.lineno in lines
        and _body(file, place) is body
        and isinstance(place.statement, ast.Assign)
        and constant(place.statement.value) is value
        and _parameters_of(place) == network
    ]


def _parameters_of(place: Place) -> str | None:
    """The network over whose parameters the innermost loop around a place goes."""
    loop = next(iter(place.block.loops()), None)
    over = loop.node.iter if loop is not None and isinstance(loop.node, ast.For) else None
    if not isinstance(over, ast.Call) or last_name(over.func) not in ("parameters", "named_parameters"):
        return None
    return dotted(over.func.value) if isinstance(over.func, ast.Attribute) else None


def _line(place: Place) -> int:
    return getattr(place.node, "lineno", 0)


def _switched(place: Place) -> str | None:
    """The network whose mode a call of `eval` or `train` switches."""
    call = place.node
    return dotted(call.func.value) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None


def _body(file: SemanticModel, place: Place) -> Block:
    function = file.graph.enclosing(place.block)
    return function.body if function is not None else file.outline.module


def _forwards_of(file: SemanticModel, network: str, body: Block) -> Iterator[Place]:
    for place in forwards_with_graph(file, body):
        model = model_run_by(file, place)
        if model is not None and dotted(model) == network:
            yield place


def in_evaluation_loop(file: SemanticModel, place: Place) -> bool:
    """Whether a loop over a loader stands around a place, in the same function, and evaluates."""
    return any(file.loops.kind(block) is LoopKind.EVAL for block in place.block.loops())


def only_read(file: SemanticModel, read: Place) -> list[Place]:
    """Forwards whose results a read ends in and that nothing else uses with their graphs."""
    call = read.node
    assert isinstance(call, ast.Call)
    node = call.func.value if isinstance(call.func, ast.Attribute) else None
    if node is None or file.kinds.imported(call.func, read.block) is not None:
        node = call.args[0] if call.args else None
    if node is None:
        return []
    found = dict(_calls_of_value(file, node, read.block, _DEEPEST))
    here = file.graph.enclosing(read.block)
    return [
        place
        for place in found.values()
        if builds_graph(file, place) and file.graph.enclosing(place.block) is here and _is_for_nothing(file, place)
    ]


def only_shown(file: SemanticModel, switch: Place) -> list[Place]:
    """Forwards after a call of `model.eval()`, in its function, of which nothing uses the graphs."""
    network = _switched(switch)
    if network is None or file.gradients.off(switch.block, _line(switch)):
        return []
    return [
        place
        for place in _forwards_of(file, network, _body(file, switch))
        if _line(place) > _line(switch) and _is_for_nothing(file, place)
    ]


def _is_for_nothing(file: SemanticModel, place: Place) -> bool:
    return (
        not _is_bare(place)
        and not _is_part(file, place)
        and _may_run_again(file, place)
        and not in_evaluation_loop(file, place)
        and not wants_gradients(file, place.block)
        and graph_is_unused(file, place)
    )


def _is_bare(place: Place) -> bool:
    """Whether a model is run for what it does and not for what it gives, as to warm up or to record shapes."""
    return isinstance(place.statement, ast.Expr) and place.statement.value is place.node


def _is_part(file: SemanticModel, place: Place) -> bool:
    """Whether a module runs a part of itself here: who calls it decides whether autograd is on."""
    function = file.graph.enclosing(place.block)
    if function is None or function.owner is None or not file.kinds.is_module_class(function.owner):
        return False
    return (
        root_name(getattr(place.node, "func", place.node)) == function.parameters[0].arg
        if function.parameters
        else False
    )


def _may_run_again(file: SemanticModel, place: Place) -> bool:
    """Whether a forward stands in a function or a loop. A script's one forward costs little, whatever it records."""
    return file.graph.enclosing(place.block) is not None or bool(place.block.loops())


def _calls_of_value(
    file: SemanticModel, node: ast.expr, block: Block, depth: int, seen: dict[ast.expr, int] | None = None
) -> Iterator[tuple[ast.AST, Place]]:
    """The calls that an expression holds or comes from, also through names; not all of them are forwards.

    `seen` says how deep each value was looked behind already: a name that many branches add to comes from all of them.
    """
    seen = {} if seen is None else seen
    for part in nodes_in(node):
        if isinstance(part, ast.Call):
            place = call_of(file, part.func)
            if place is not None:
                yield part, place
        elif isinstance(part, ast.Name) and depth:
            for binding in reaching(part.id, block, position(part)):
                value = binding.value
                if binding.how is How.ASSIGN and value is not None and seen.get(value, -1) < depth - 1:
                    seen[value] = depth - 1
                    yield from _calls_of_value(file, value, binding.block, depth - 1, seen)


def volatile_input(file: SemanticModel, place: Place) -> Place | None:
    """The forward with autograd on that is given what a call makes with `volatile=True`; None where there is none.

    PyTorch ignores `volatile` since 0.4. Functions that train are left out: there targets were made volatile.
    """
    body = _body(file, place)
    if not isinstance(place.statement, ast.Assign) or not _is_first_volatile(file, place, body):
        return None
    function = file.graph.enclosing(place.block)
    if function is not None and file.loops.summary(function) is not None:
        return None
    made = {name for target in place.statement.targets for name in held_by(target)}
    for forward in forwards_with_graph(file, body):
        if _is_given_part(forward, made) and _body(file, forward) is body and not in_evaluation_loop(file, forward):
            return forward
    return None


def _is_first_volatile(file: SemanticModel, place: Place, body: Block) -> bool:
    """Whether a call makes something volatile, and none before it in its function does: one finding is enough."""
    if not _is_volatile(place.node):
        return False
    earlier = (other for other in file.outline.calls["Variable"] if _line(other) < _line(place))
    return not any(_is_volatile(other.node) and _body(file, other) is body for other in earlier)


def _is_given_part(forward: Place, names: set[str]) -> bool:
    """Whether a forward is given a part of something that has one of the names."""
    assert isinstance(forward.node, ast.Call)
    return any(root_name(item) in names for item in forward.node.args)


def _is_volatile(call: ast.AST) -> bool:
    return isinstance(call, ast.Call) and constant(argument(call, "volatile", 2)) is True
