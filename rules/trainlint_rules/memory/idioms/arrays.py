"""Tensors that become arrays: PyTorch refuses `.numpy()` without `.detach()` where a tensor has a graph."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import dotted
from trainlint.contract.guard import guard
from trainlint_rules.memory.idioms.evaluation_loops import evaluation_loop

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_KEEP_GRAPH = frozenset({"cpu", "to", "float", "double", "half", "contiguous", "squeeze", "view", "reshape", "flatten"})


def read_as_arrays(site: Site) -> frozenset[str]:
    """The names in the function around on which `.numpy()` is called without `.detach()`."""
    names = (
        dotted(_receiver_before_moves(use.call.func)) for use in site.calls("numpy") if use.function is site.function
    )
    return frozenset([name for name in names if name])


@guard
def result_becomes_array(site: Site) -> bool:
    """Outside of evaluation loops, `.numpy()` is called on the result without `.detach()`, so it has no graph."""
    if evaluation_loop(site) is not None:
        return False
    targets = site.statement.targets if isinstance(site.statement, ast.Assign) else []
    names = {dotted(part) for target in targets for part in getattr(target, "elts", [target])}
    return not names.isdisjoint(read_as_arrays(site))


def _receiver_before_moves(node: ast.expr) -> ast.expr:
    """What a method is called on, through others that keep the graph: `x` for `x.cpu().double().numpy`."""
    while True:
        match node:
            case ast.Attribute(attr=name, value=value) if name in _KEEP_GRAPH or name == "numpy":
                node = value
            case ast.Call(func=ast.Attribute(attr=name) as func) if name in _KEEP_GRAPH:
                node = func
            case _:
                return node
