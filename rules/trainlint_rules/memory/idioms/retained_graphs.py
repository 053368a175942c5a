"""Whether a graph that a backward keeps is gone through once more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, last_name, nodes_in, position
from trainlint.analysis.types.values import Kind
from trainlint.contract.guard import guard

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_GOING_BACK = ("backward", "manual_backward", "grad", "jacobian", "hessian", "vjp", "jvp", "hvp")
"""Calls that go through a graph."""
_READERS = frozenset(
    {"print", "float", "append", "add_scalar", "log", "update", "info", "set_postfix", "isnan", "mean"}
)
"""Calls that are given a loss and only look at it."""
_NO_TENSORS = frozenset({Kind.DEVICE, Kind.DTYPE, Kind.MODULE, Kind.NUMBER, Kind.STRING, Kind.NONE, Kind.OPTIMIZER})


@guard
def needed_in_this_iteration(site: Site) -> bool:
    """Later code of the same iteration uses, or may use, the graph."""
    loop = site.block.innermost_loop()
    return loop is not None and any(_may_go_back(site, call) for call in _later_calls(site, loop))


@guard
def carried_over(site: Site) -> bool:
    """A value from before this iteration may be part of the loss."""
    loop = site.block.innermost_loop()
    if loop is None or not isinstance(loop.node, ast.For | ast.AsyncFor | ast.While):
        return False
    flow = site.file.backwards(site.block)
    drawn: set[str] = set()
    if not isinstance(loop.node, ast.While):
        drawn = {part.id for part in nodes_in(loop.node.iter) if isinstance(part, ast.Name)}
    return any(
        name not in drawn
        and flow.goes_through(name)
        and not _is_new(site, loop, name, use)
        and site.value(use).kind not in _NO_TENSORS
        for name, use in _reads(loop.node.body)
    )


def _later_calls(site: Site, loop: Block) -> Iterator[ast.Call]:
    for places in site.file.outline.calls.values():
        for place in places:
            call = place.node
            if isinstance(call, ast.Call) and call is not site.node and place.block.within(loop):
                if position(call) >= position(site.call):
                    yield call


def _may_go_back(site: Site, call: ast.Call) -> bool:
    if last_name(call.func) in _GOING_BACK or _takes_graph(site, call):
        return True
    edge = site.file.graph.callee.get(call)
    if edge is None:
        return False
    return edge.function.body in site.file.loops.evidence() or bool(site.file.loops.summary(edge.function))


def _takes_graph(site: Site, call: ast.Call) -> bool:
    """Whether a call out of sight is handed a value that a backward of the loop goes through."""
    if last_name(call.func) in _READERS or site.file.kinds.imported(call.func, site.block) is not None:
        return False
    flow = site.file.backwards(site.block)
    return any(isinstance(item, ast.Name) and flow.goes_through(item.id) for item in call.args)


def _reads(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Where statements read names, and attributes of the object itself."""
    for statement in body:
        for part in nodes_in(statement):
            match part:
                case ast.Name(id=name, ctx=ast.Load()):
                    yield name, part
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()):
                    yield f"self.{name}", part


def _is_new(site: Site, loop: Block, name: str, use: ast.expr) -> bool:
    """Whether a name was surely bound in this iteration before it is used."""
    if name.startswith("self."):
        return False
    scope = site.block.scope.owner(name)
    return scope is not None and any(
        binding.block.within(loop) and binding.how is not How.AUGMENT and binding.position <= position(use)
        for binding in scope.bindings[name]
    )


@guard
def creates_graph(site: Site) -> bool:
    """`create_graph` is given."""
    return argument(site.call, "create_graph") is not None
