"""Loops that broadcast the parameters of a model, and the DistributedDataParallel behind them that does it again."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.effects.collectives import Collective, collective
from trainlint.analysis.effects.parameter_loops import ParameterLoop, parameter_loop
from trainlint.analysis.programs.wraps import Wrap, wraps
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, nodes_in, position
from trainlint.analysis.tables.collectives import BROADCAST
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import early_guard, guard


@dataclass(frozen=True, slots=True, eq=False)
class Resent:
    """A model whose parameters a loop sends before DDP does."""

    loop: ParameterLoop
    node: ast.For
    model: str
    sent: Collective
    wrap: Wrap


def resent(site: Site) -> Resent | None:
    """The loop around a broadcast of one of its parameters, and a wrap of the model behind it in the same block."""
    loop = parameter_loop(site.file.outline, site.block)
    sent = collective(site.file, site.call, site.block)
    if loop is None or sent is None or sent.tensor is None or not _is_parameter(sent.tensor, loop.names):
        return None
    node, model = loop.block.node, _model(loop.iterated)
    if not isinstance(node, ast.For) or model is None:
        return None
    around = site.file.outline.block_of[node]
    for found in wraps(site.file):
        same = found.wrapper is Wrapper.DDP and found.place.block is around and dotted(found.module) == model
        if same and position(found.call) > position(node):
            return Resent(loop, node, model, sent, found)
    return None


def _model(iterated: ast.expr) -> str | None:
    """The model in `model.parameters()` and `model.state_dict().values()`."""
    while isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute):
        if iterated.func.attr in ("parameters", "state_dict"):
            return dotted(iterated.func.value)
        iterated = iterated.func.value
    return None


def _is_parameter(tensor: ast.expr, names: frozenset[str]) -> bool:
    """Whether what is sent is the loop's parameter itself: `p`, `p.data` or `p.detach()`."""
    root, _, rest = (dotted(tensor.func if isinstance(tensor, ast.Call) else tensor) or "").partition(".")
    return root in names and rest in ("", "data", "detach")


def _reported(site: Site) -> Resent | None:
    """What a reported loop sends."""
    inside = set(nodes_in(site.node))
    found = (resent(other) for other in site.calls(BROADCAST.name) if other.call in inside)
    return next((item for item in found if item is not None), None)


@early_guard
def ignores_parameters(site: Site) -> bool:
    """DDP is told to ignore some parameters."""
    outline = site.file.outline
    return any("params_and_buffers_to_ignore" in name for name in (*outline.calls, *outline.stores))


@guard
def sends_otherwise(site: Site) -> bool:
    """The loop sends from another rank than 0, to its own group, or asynchronously."""
    found = _reported(site)
    if found is None or found.sent.group is not None or found.sent.returns_handle:
        return True
    return has_unpacked_arguments(found.sent.call) or constant(argument(found.sent.call, "src", 1)) != 0


@guard
def does_more(site: Site) -> bool:
    """The loop does more than send."""
    body = site.node.body if isinstance(site.node, ast.For) and not site.node.orelse else []
    while len(body) == 1 and isinstance(body[0], ast.With):
        body = body[0].body
    return len(body) != 1 or not isinstance(body[0], ast.Expr)


@guard
def used_between(site: Site) -> bool:
    """The model is used between the loop and the wrap."""
    found = _reported(site)
    if found is None:
        return True
    around, start, stop = found.wrap.place.block, position(found.node), position(found.wrap.place.statement)
    inside = set(nodes_in(found.node))
    between = (
        statement
        for statement, block in site.file.outline.block_of.items()
        if block.within(around) and start < position(statement) < stop and statement not in inside
    )
    return any(dotted(part) == found.model for statement in between for part in nodes_in(statement))


@guard
def wrap_sends_less(site: Site) -> bool:
    """DDP may send less than the loop (`init_sync`, `broadcast_buffers`, a process group)."""
    found = _reported(site)
    if found is None or has_unpacked_arguments(found.wrap.call):
        return True
    call = found.wrap.call
    if found.loop.of_states and argument(call, "broadcast_buffers", 4) is not None:
        return True
    return argument(call, "init_sync", 5) is not None or argument(call, "process_group", 6) is not None
