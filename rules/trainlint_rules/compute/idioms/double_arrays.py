"""Arrays of float64 that become tensors, and what is called on these tensors one after the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import argument, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.guard import guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.site import Site

_DOUBLE = lazy(
    r"^numpy\.(random\.(rand|randn|normal|uniform|random|random_sample|standard_normal|beta|laplace|exponential|"
    r"multivariate_normal|dirichlet)|linspace|zeros|ones|empty|eye|identity|hanning|hamming|logspace)$"
)
"""NumPy functions whose result is float64 unless something else is asked for."""
_TYPE_SECOND = ("zeros", "ones", "empty")
"""Those whose second argument is the type."""
_CASTS = frozenset(("float", "half", "bfloat16", "long", "int", "bool", "type", "type_as", "byte"))


@guard
def cast_on_the_way(site: Site) -> bool:
    """The code sets a data type before, in or after the copy."""
    if argument(site.call, "dtype", 1) is not None:
        return True
    moved = argument(site.call, "device") is not None
    for outer in () if moved else _chain(site.statement, site.call):
        name = last_name(outer.func)
        typed = name == "to" and (moved or len(outer.args) > 1 or argument(outer, "dtype") is not None)
        if name in _CASTS or typed:
            return True
        moved |= name in MOVES
    return False


def is_double(site: Site, array: ast.expr) -> bool:
    """Whether an expression is surely an array of float64."""
    value = single_value(array, site.block) if isinstance(array, ast.Name) else array
    if not isinstance(value, ast.Call) or has_unpacked_arguments(value) or argument(value, "dtype") is not None:
        return False
    origin = site.origin(value.func) or ""
    typed = origin.rpartition(".")[2] in _TYPE_SECOND and len(value.args) > 1
    return bool(_DOUBLE.match(origin)) and not typed and bool(value.args or value.keywords)


def is_copied_to_device(site: Site) -> bool:
    """Whether a tensor goes to the device in the expression that makes it."""
    if argument(site.call, "device") is not None:
        return site.value(site.call).on_device
    moves = (outer for outer in _chain(site.statement, site.call) if last_name(outer.func) in MOVES)
    move = next(moves, None)
    return move is not None and site.value(move).on_device


def _chain(statement: ast.stmt, inner: ast.AST) -> Iterator[ast.Call]:
    """The methods that are called on a value one after the other."""
    called_on = {
        node.func.value: node
        for node in nodes_in(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    while isinstance(inner, ast.expr) and inner in called_on:
        inner = called_on[inner]
        yield inner
