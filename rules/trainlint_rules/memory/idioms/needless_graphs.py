"""Forwards that record graphs which nothing trains: in evaluations, for actions and targets, for a look."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from trainlint.analysis.effects.taken_gradients import takes_gradients
from trainlint.analysis.programs.evaluation import (
    forwards_with_graph,
    is_read_detached,
    results_of,
    wants_gradients,
)
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import last_name, nodes_in
from trainlint.analysis.types.backward import LEAVES
from trainlint.finding import Confidence
from trainlint_rules.memory.idioms.evaluation_loops import (
    evaluation_loop,
    is_trained,
    sure_of_evaluation,
    whole_evaluation,
)
from trainlint_rules.memory.idioms.inference import interlude, only_read, only_shown, volatile_input
from trainlint_rules.memory.idioms.target_networks import forwards_for_nothing
from trainlint_rules.memory.idioms.unused_graphs import graph_is_unused

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.syntax.blocks import Block, Place


class Use(Enum):
    """What a forward is for."""

    EVALUATION = auto()
    ACTION = auto()
    TARGET = auto()
    TOGGLED = auto()
    """An evaluation for which `requires_grad` is switched off, parameter by parameter."""
    VOLATILE = auto()
    LOOK = auto()
    """Its result is cut off from the graph wherever it is used."""


_PAUSES = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class NeedlessGraph:
    """A graph that a forward records for nothing."""

    site: Site
    """The place to report."""
    use: Use
    model: ast.AST
    """What is called."""
    sure: Confidence = Confidence.CERTAIN
    scope: ast.stmt | None = None
    """What is to run without autograd: a statement, or a whole function. None where that takes more than a wrapper."""


def needless_graphs(site: Site) -> Iterator[NeedlessGraph]:
    """The graphs that nothing trains, by what a rule looks at: a loop, `eval`, `Variable`, or a read of a result."""
    for graph in _found(site):
        scope = graph.scope
        if scope is not None and _pauses(site.file, scope):
            scope = _whole_generator(graph.site)
        if not takes_gradients(site.file, scope or graph.site.statement):
            yield replace(graph, scope=scope)


@once
def _pauses(_file: SemanticModel, scope: ast.stmt) -> bool:
    """Whether other code runs before a statement ends: what iterates, or other tasks; a `with` would hold there, too.

    A decorator around an `async` function would hold nowhere, since calling such a function runs nothing of it.
    """
    return any(isinstance(part, _PAUSES) or getattr(part, "is_async", 0) for part in nodes_in(scope))


def _whole_generator(site: Site) -> ast.FunctionDef | None:
    """The generator around a place, for a decorator, which holds only while the generator itself runs."""
    function = site.function
    if function is None or not function.is_generator or site.file.loops.summary(function):
        return None
    return function.node if isinstance(function.node, ast.FunctionDef) else None


def _found(site: Site) -> Iterator[NeedlessGraph]:
    if not isinstance(site.node, ast.Call):
        loop = site.file.outline.loop_blocks[site.node]
        if evaluation_loop(site) is not None:
            yield from _of_evaluation(site, loop)
        elif site.file.loops.acts_on_environment(loop) and not site.block.loops():
            yield from _of_actions(site, loop)
        yield from _of_targets(site)
        return
    match last_name(site.node.func):
        case "eval":
            yield from _of_interlude(site)
        case "load_state_dict":
            yield from _of_targets(site)
        case "Variable":
            yield from _of_volatile(site)
        case _:
            yield from _of_looks(site, only_read(site.file, site.place))


def _of_evaluation(site: Site, loop: Block) -> Iterator[NeedlessGraph]:
    forwards = forwards_with_graph(site.file, loop)
    if not forwards:
        return
    scope = whole_evaluation(site) or site.statement
    reported, sure = site.at(forwards[0].node, loop), sure_of_evaluation(site)
    yield NeedlessGraph(reported, Use.EVALUATION, _model(forwards[0]), sure, scope)


def _of_actions(site: Site, loop: Block) -> Iterator[NeedlessGraph]:
    """In a loop over an environment's steps: the forward whose result is only read, never trained."""
    for place in forwards_with_graph(site.file, loop):
        results = results_of(place) - {"_"}
        is_plain = isinstance(place.statement, ast.Assign)
        if is_plain and (not _may_be_trained(site, results) or graph_is_unused(site.file, place)):
            if any(is_read_detached(loop, name) for name in results):
                yield _of_forward(site, place, Use.ACTION)


def _of_targets(site: Site) -> Iterator[NeedlessGraph]:
    """Behind a copy of one network's parameters into another's: forwards of the copy, which nothing trains."""
    for place in forwards_for_nothing(site.file, site.node):
        yield _of_forward(site, place, Use.TARGET)


def _of_interlude(site: Site) -> Iterator[NeedlessGraph]:
    """Between `model.eval()` and the `model.train()` after it: forwards with autograd on."""
    found = interlude(site.file, site.place)
    if found is None:
        yield from _of_looks(site, only_shown(site.file, site.place))
        return
    if found.toggle is not None:
        yield NeedlessGraph(Site(site.file, found.toggle), Use.TOGGLED, found.toggle.node, Confidence.LIKELY)
    for place in found.forwards[:1] if not wants_gradients(site.file, site.block) else ():
        results = results_of(place)
        # An attribute that training stores, too, is stored anew before the next backward.
        if not is_trained(site, {name for name in results - {LEAVES} if "." not in name}):
            yield _of_forward(site, place, Use.EVALUATION)


def _of_volatile(site: Site) -> Iterator[NeedlessGraph]:
    forward = volatile_input(site.file, site.place)
    if forward is not None:
        yield NeedlessGraph(site.at(site.statement), Use.VOLATILE, _model(forward))


def _of_looks(site: Site, places: list[Place]) -> Iterator[NeedlessGraph]:
    for place in places:
        if not any(site.file.loops.acts_on_environment(loop) for loop in place.block.loops()):
            in_step = Site(site.file, place).heat.heat.in_step  # else it costs little, or callers switch autograd off
            yield _of_forward(site, place, Use.LOOK, Confidence.LIKELY if in_step else Confidence.POSSIBLE)


def _of_forward(site: Site, place: Place, use: Use, sure: Confidence = Confidence.CERTAIN) -> NeedlessGraph:
    reported = Site(site.file, place).at(place.statement)
    return NeedlessGraph(reported, use, _model(place), sure, place.statement)


def _model(place: Place) -> ast.expr:
    assert isinstance(place.node, ast.Call)
    return place.node.func


def _may_be_trained(site: Site, names: set[str]) -> bool:
    """Whether a backward goes through what these names hold, or whether it is handed to code that might."""
    flow = site.file.backwards(site.block)
    return LEAVES in names or is_trained(site, names) or any(flow.leaves(name) for name in names)
