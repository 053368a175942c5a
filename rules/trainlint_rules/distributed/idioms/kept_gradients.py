"""Code that does more with gradients than to clear them: it replaces, detaches or keeps them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, last_name
from trainlint.contract.guard import early_guard

_PACKAGES = ("apex.", "torch.distributed.rpc.", "torch.distributed.autograd.")
"""Packages that change or send gradients."""


@early_guard
def keeps_gradients(site: Site) -> bool:
    """The file replaces, detaches, keeps or differentiates gradients, or sends them in a hook."""
    outline = site.file.outline
    return (
        any(f"{origin}.".startswith(_PACKAGES) for origin in outline.imports.values())
        or "register_comm_hook" in outline.calls
        or any(_replaces(place.statement) for name in ("grad", "data") for place in outline.stores.get(name, ()))
        or any(_detaches(call) or _keeps_graph(call) for call in _calls(site))
    )


@early_guard
def clears_by_function(site: Site) -> bool:
    """The file clears no gradients, or clears them with its own function, which may detach them."""
    clearing = [call.func for call in _calls(site) if last_name(call.func) == "zero_grad"]
    return not clearing or not all(isinstance(func, ast.Attribute) for func in clearing)


def _calls(site: Site) -> Iterator[ast.Call]:
    return (place.node for place in site.file.outline.all_calls() if isinstance(place.node, ast.Call))


def _replaces(statement: ast.stmt) -> bool:
    """Whether a statement stores anything but None as `x.grad`, or anything as `x.grad.data`."""
    if not isinstance(statement, ast.Assign) or constant(statement.value) is None:
        return False
    chains = [target for target in statement.targets if isinstance(target, ast.Attribute)]
    return any(item.attr == "grad" or (item.attr == "data" and last_name(item.value) == "grad") for item in chains)


def _detaches(call: ast.Call) -> bool:
    """`x.grad.detach_()`, and `autograd.grad(...)`, which returns gradients."""
    match call.func:
        case ast.Attribute(value=owner, attr="detach_"):
            return last_name(owner) == "grad"
        case ast.Attribute(value=owner, attr="grad"):
            return last_name(owner) == "autograd"
    return False


def _keeps_graph(call: ast.Call) -> bool:
    """Whether gradients stay after a step, as zeros, or with the graph that made them."""
    kept = any(constant(argument(call, name)) is True for name in ("retain_graph", "create_graph"))
    return kept or constant(argument(call, "set_to_none")) is False
