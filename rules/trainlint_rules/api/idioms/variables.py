"""`Variable(...)`: what it wraps, and the tensor that says the same."""

from __future__ import annotations

import ast

from trainlint.analysis.conditions.alternatives import origins
from trainlint.analysis.effects.creations import ALL, RANDOM_FILLS
from trainlint.analysis.programs.old_names.deprecated_uses import is_unused_import
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    imported_names,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.syntax.roles import Role, role
from trainlint.analysis.tables.host_reads import CPU
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.contract.guard import early_guard

VARIABLE = ("torch.autograd.Variable", "torch.autograd.variable.Variable")
_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_FRESH_METHODS = frozenset({"new", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"})
_CASTS = frozenset({*MOVES, CPU.name, "type", "float", "double", "half", "long", "int", "bool"})
_FILLS = RANDOM_FILLS | {"zero_", "fill_"}


@early_guard
def only_named(site: Site) -> bool:
    """The code only checks, annotates or subclasses the type."""
    return isinstance(site.node, ast.expr) and role(site.file, site.place) in (
        Role.TYPE_TEST,
        Role.ANNOTATION,
        Role.BASE,
    )


def is_idle_import(site: Site) -> bool:
    """Whether a statement imports the class, and nothing uses it."""
    statement = site.node
    if not isinstance(statement, ast.ImportFrom):
        return False
    local = next((name for name, meaning in imported_names(statement) if meaning in VARIABLE), None)
    return local is not None and is_unused_import(site.file, statement, local)


def names_variable(site: Site) -> bool:
    """Whether an expression may name the class; a name that a version switch imports may name another, too."""
    return isinstance(site.node, ast.expr) and not origins(site.node, site.block).isdisjoint(VARIABLE)


@once
def wrapping_calls(file: SemanticModel) -> list[Site]:
    """The calls of the class in a file that do nothing, in the order of the text; those in code that runs first.

    `volatile=True` is left out: PyTorch warns of it.
    """
    aliases = {
        local
        for statement in nodes_in(file.tree)
        if isinstance(statement, ast.ImportFrom)
        for local, meaning in imported_names(statement)
        if meaning in VARIABLE
    }
    found = [
        Site(file, place)
        for name in sorted(aliases | {"Variable"})
        for place in file.outline.calls.get(name, [])
        if isinstance(place.node, ast.Call)
        and not origins(place.node.func, place.block).isdisjoint(VARIABLE)
        and not is_volatile(place.node)
    ]
    return sorted(found, key=lambda site: (file.reachability.is_unreferenced(site.block), position(site.call)))


def is_volatile(call: ast.Call) -> bool:
    """Whether a call asks for no gradients in the old way, which has no effect and makes PyTorch warn."""
    return constant(argument(call, "volatile")) is True


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_without_graph(node: ast.expr) -> bool:
    """Whether this is a tensor that was just taken out of its graph: `x.data`, `x.detach()`."""
    if isinstance(node, ast.Call):
        return last_name(node.func) == "detach"
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _keeps_fresh(call: ast.Call) -> bool:
    """Whether a call of a method casts or moves a tensor, or fills it with numbers, none of which has a graph."""
    name, given = last_name(call.func), [*call.args, *(keyword.value for keyword in call.keywords)]
    return name in _CASTS or (name in _FILLS and all(isinstance(constant(item), int | float) for item in given))


def _is_fresh(site: Site, node: ast.expr) -> bool:
    """Whether an expression makes a tensor that nothing else holds: cast, moved and filled or not."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _keeps_fresh(node):
        if isinstance(node.func.value, ast.Name):
            return False
        node = node.func.value
    if not isinstance(node, ast.Call) or any(keyword.arg == "requires_grad" for keyword in node.keywords):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr == "clone":
        return _is_without_graph(node.func.value)
    origin = site.origin(node.func)
    if origin is not None:
        return origin.startswith("torch.") and origin.count(".") == 1 and last_name(node.func) in ALL
    return isinstance(node.func, ast.Attribute) and node.func.attr in _FRESH_METHODS
