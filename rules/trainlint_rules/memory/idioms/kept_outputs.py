"""Lists to which each iteration appends, and reasons why they cost little."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import constant, last_name, nodes_in
from trainlint.analysis.tables.host_reads import TO_HOST
from trainlint.analysis.types.backward import held_by
from trainlint.analysis.types.values import Kind, Origin
from trainlint.contract.guard import early_guard, guard
from trainlint_rules.memory.idioms.lifetimes import Lifetime, lifetime

if TYPE_CHECKING:
    from trainlint.analysis.site import Site
    from trainlint.analysis.types.values import Value

_SMALL = TO_HOST | frozenset(
    "mean sum argmax argmin max min amax amin norm size numel topk sort argsort any all prod "
    "count_nonzero var std median".split()
)
"""What makes an output small, or takes it to the host."""

_OF_STRUCTURES = frozenset("loss logits last_hidden_state hidden_states keys items values get to_tuple".split())
"""Attributes of what models of libraries return in place of a tensor."""


def appended_output(site: Site) -> Value | None:
    """The model's output that a call of `append` adds to a list."""
    if len(site.call.args) != 1 or site.value(site.receiver).kind is not Kind.CONTAINER:
        return None
    value = site.value(site.call.args[0])
    return value if value.is_tensor and value.origin is Origin.OUTPUT else None


def is_only_tensor(site: Site, node: ast.expr) -> bool:
    """Whether an expression is a tensor whatever code runs before it, not a number or a structure now and then."""
    if isinstance(node, ast.IfExp):
        return is_only_tensor(site, node.body) and is_only_tensor(site, node.orelse)
    if isinstance(node, ast.Name):
        bindings = site.file.outline.bindings(node, site.block)
        found = [site.file.kinds.binding(item) for item in bindings]
        return bool(found) and all(item.is_tensor for item in found) and not _is_structure(site, node)
    if isinstance(node, ast.Attribute):
        stored = site.file.outline.stores.get(node.attr, ())
        values = [(place.statement.value, place.block) for place in stored if isinstance(place.statement, ast.Assign)]
        return all(site.file.kinds.of(value, block).is_tensor for value, block in values)
    return site.value(node).is_tensor and not isinstance(node, ast.BoolOp | ast.NamedExpr)


def starts_backward(site: Site, node: ast.expr) -> bool:
    """Whether the function calls `backward` of an expression, as only tensors have it."""
    written = ast.dump(node)
    return any(
        other.function is site.function
        and isinstance(func := other.call.func, ast.Attribute)
        and ast.dump(func.value) == written
        for other in site.calls("backward")
    )


def _is_structure(site: Site, node: ast.Name) -> bool:
    """Whether the function takes parts of a name by a key or an attribute that tensors do not have."""
    root = site.function.node if site.function is not None else site.file.tree
    return any(
        (isinstance(part, ast.Subscript) and isinstance(constant(part.slice), str))
        or (isinstance(part, ast.Attribute) and part.attr in _OF_STRUCTURES)
        for part in nodes_in(root)
        if isinstance(part, ast.Subscript | ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id == node.id
    )


@early_guard
def reduced(site: Site) -> bool:
    """What is appended is reduced, or copied to the host."""
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in _SMALL
        for added in site.call.args
        for part in nodes_in(added)
    )


@guard
def emptied_on_the_way(site: Site) -> bool:
    """The code empties the list in each iteration or at intervals."""
    loop = site.block.innermost_loop()
    return loop is None or lifetime(site.file, site.place, site.receiver, loop) is not Lifetime.LOOP


@guard
def trained_later(site: Site) -> bool:
    """A backward goes through what the list holds."""
    flow = site.file.backwards(site.block)
    return any(flow.goes_through(name) for name in held_by(site.receiver))


@guard
def part_of_loss(site: Site) -> bool:
    """The list collects a loss or a part of one (TRN304)."""
    flow = site.file.backwards(site.block)
    return any(flow.is_part_of_loss(name) for name in held_by(site.call.args[0]))


@early_guard
def autograd_on(site: Site) -> bool:
    """Autograd is on, so that the list keeps the graphs as well (TRN304)."""
    return not site.gradients_off
