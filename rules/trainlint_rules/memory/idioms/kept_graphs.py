"""Sums and lists that hold what has a graph, and for how long."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import forwards_with_graph
from trainlint.analysis.types.backward import Backwards, graph_names, held_by
from trainlint.analysis.types.values import Kind, Origin, Value
from trainlint.contract.confidence import doubted
from trainlint.contract.guard import early_guard, guard
from trainlint.finding import Confidence, LoopKind
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Block

_ITERATIONS = (LoopKind.STEP, LoopKind.MICRO, LoopKind.EVAL)


@dataclass(frozen=True, slots=True)
class AddedValue:
    """What is added to what."""

    holder: ast.expr
    added: ast.expr
    is_list: bool = False


def added_value(site: Site) -> AddedValue | None:
    """What a place adds to a sum or a list."""
    match site.node:
        case ast.AugAssign(target=target, value=added):
            return AddedValue(target, added)
        case ast.Assign(targets=[target, *_], value=ast.BinOp(left=left, right=right)):
            for side, other in ((left, right), (right, left)):
                if type(side) is type(target) and ast.unparse(side) == ast.unparse(target):
                    return AddedValue(target, other)
        case ast.Call(func=ast.Attribute(value=holder), args=[added]):
            return AddedValue(holder, added, is_list=True) if site.value(holder).kind is Kind.CONTAINER else None
    return None


def lives(site: Site, holder: ast.expr) -> Lifetime:
    """For how long a holder keeps what it is given at a place, in rounds of the loop over batches."""
    loop = _batch_loop(site)
    return lifetime(site.file, site.place, holder, loop) if loop is not None else Lifetime.ROUND


def is_freed(site: Site, added: ast.expr) -> bool:
    """Whether a backward of training has freed the graph of what is added, so that only its nodes stay.

    It was started from the value, or from a sum that it is a term of: nobody can go through the total as well.
    """
    loop = _batch_loop(site)
    is_training = loop is not None and site.file.heats.kind(loop) is not LoopKind.EVAL
    return is_training and _is_loss(added, site.value(added), site.file.backwards(site.block))


def is_output_of_step(site: Site, item: AddedValue) -> bool:
    """Whether a list that outlives a training loop gets an output: its nodes stay, and all that no backward reaches."""
    value, loop = site.value(item.added), _batch_loop(site)
    of_model = value.is_tensor and value.origin is Origin.OUTPUT and not value.dropped_graph
    in_training = loop is not None and site.file.heats.kind(loop) is LoopKind.STEP
    return item.is_list and of_model and in_training and lives(site, item.holder) is Lifetime.LOOP


def sure_of_graph(site: Site, added: ast.expr) -> Confidence | None:
    """How sure it is that a value that no backward freed has a graph; None where it has none."""
    value, loop = site.value(added), _batch_loop(site)
    if loop is None or not value.is_tensor or value.dropped_graph or site.gradients_off:
        return None
    if site.file.heats.kind(loop) is not LoopKind.EVAL or not forwards_with_graph(site.file, loop):
        return Confidence.POSSIBLE  # what is no part of the loss is often detached where it is made
    is_from_model = value.origin in (Origin.LOSS, Origin.OUTPUT)
    return doubted(not is_from_model, not value.proved)


@early_guard
def outside_batch_loop(site: Site) -> bool:
    """No loop over batches is around it in the function."""
    return _batch_loop(site) is None


@guard
def new_in_each_iteration(site: Site) -> bool:
    """The sum or list starts again in each iteration."""
    found = added_value(site)
    return found is not None and lives(site, found.holder) is Lifetime.ROUND


@guard
def trained_as_sum(site: Site) -> bool:
    """A backward goes through the sum or list itself, here or in the caller."""
    found, flow = added_value(site), site.file.backwards(site.block)
    return found is not None and any(flow.goes_through(name) for name in held_by(found.holder))


def _batch_loop(site: Site) -> Block | None:
    """The innermost loop around that takes one batch in each round, of training or of evaluation."""
    heats = site.file.heats
    return next((loop for loop in site.block.loops() if heats.kind(loop) in _ITERATIONS), None)


def _is_loss(added: ast.expr, value: Value, flow: Backwards) -> bool:
    names = list(graph_names(added, terms_only=True))
    if value.dropped_graph or any(flow.stays_after_backward(name) for name in names):
        return False
    if any(flow.starts_from(name) for name in names):
        return value.kind in (Kind.TENSOR, Kind.UNKNOWN)
    return value.is_tensor and any(flow.is_part_of_loss(name) for name in names)
