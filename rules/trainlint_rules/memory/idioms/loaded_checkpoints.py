"""Checkpoints that are loaded without `map_location`: what they fill, and why that may be right."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.subjects import Subject, asks_about
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guard import early_guard, guard
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainlint.analysis.site import Site
    from trainlint.analysis.syntax.blocks import Block

_MANY_PROCESSES = frozenset({FactKind.DISTRIBUTED, FactKind.DDP, FactKind.FSDP})
_HOST_STATE = lazy(r"scaler|sched|sampler|loader|rng|meter", re.IGNORECASE)
"""What has a state of Python numbers, or one on the host."""


def in_many_processes(site: Site) -> bool:
    """Whether the program trains in several processes."""
    return any(item.fact.kind in _MANY_PROCESSES for item in site.file.used_around(site.block, beside=True))


def filled(site: Site) -> list[str]:
    """The names of what is filled by `load_state_dict`, in the same function, with what a call loads."""
    return [
        last_name(getattr(place.node.func, "value", place.node.func))
        for place in site.file.outline.calls.get("load_state_dict", ())
        if isinstance(place.node, ast.Call) and place.node.args
        if site.file.graph.enclosing(place.block) is site.function
        if _loaded(place.node.args[0], place.block) is site.node
    ]


@early_guard
def says_where_to(site: Site) -> bool:
    """`map_location` is set, or may be in `*args` or `**kwargs`."""
    return argument(site.call, "map_location", 1) is not None or has_unpacked_arguments(site.call)


@guard
def fills_host_states(site: Site) -> bool:
    """It fills only states without tensors, such as a scheduler's."""
    return all(_HOST_STATE.search(name) for name in filled(site))


@guard
def behind_device_test(site: Site) -> bool:
    """A check around it is about the device."""
    return asks_about(site.block, Subject.DEVICE)


@guard
def mapped_beside(site: Site) -> bool:
    """The same function also loads with `map_location`."""
    loads = _calls(site, "torch.load")
    return any(other.function is site.function and argument(other.call, "map_location", 1) for other in loads)


@guard
def needs_one_device(site: Site) -> bool:
    """Training has one process, and the file requires CUDA or never checks for it."""
    return not in_many_processes(site) and (
        _makes_all_on_cuda(site) or not any(_calls(site, "torch.cuda.is_available"))
    )


@guard
def saved_elsewhere(site: Site) -> bool:
    """Training has one process, and the file saves no checkpoint itself."""
    return not in_many_processes(site) and not any(_calls(site, "torch.save"))


@guard
def just_saved(site: Site) -> bool:
    """One process has just saved the file itself, such as the best epoch."""
    path = argument(site.call, "f", 0)
    return (
        path is not None
        and not in_many_processes(site)
        and any(
            other.function is site.function
            and position(other.call) < position(site.call)
            and (written := argument(other.call, "f", 1)) is not None
            and ast.unparse(written) == ast.unparse(path)
            for other in _calls(site, "torch.save")
        )
    )


@guard
def saved_from_host(site: Site) -> bool:
    """The file moves everything to the CPU before it saves (`model.cpu().state_dict()`)."""
    saved = [(argument(other.call, "obj", 0), other.block) for other in _calls(site, "torch.save")]
    return bool(saved) and all(held is not None and _lies_on_host(held, block) for held, block in saved)


def _lies_on_host(held: ast.expr, block: Block) -> bool:
    """Whether an object that is saved holds a state that was moved to the CPU, and none that was not."""
    value = single_value(held, block) or held
    match value:
        case ast.Dict(values=values):
            states = [item for item in values if any(last_name(part) == "state_dict" for part in nodes_in(item))]
            return bool(states) and all(_lies_on_host(item, block) for item in states)
        case ast.DictComp():
            return _is_moved_to_host(value.value)
        case ast.Call(func=ast.Attribute(attr="state_dict", value=owner)):
            return _is_moved_to_host(single_value(owner, block) or owner)
    return False


def _is_moved_to_host(node: ast.expr) -> bool:
    """Whether an expression is `x.cpu()` or `x.to("cpu")`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="cpu")):
            return True
        case ast.Call(func=ast.Attribute(attr="to")):
            return constant(argument(node, "device", 0)) == "cpu"
    return False


def _calls(site: Site, origin: str) -> Iterator[Site]:
    """The file's calls of an imported function."""
    return (other for other in site.calls(origin.rpartition(".")[2]) if other.origin(other.call.func) == origin)


def _makes_all_on_cuda(site: Site) -> bool:
    """Whether the file makes CUDA the place of all new tensors, without asking whether there is one."""
    return any(
        "cuda" in str(constant(argument(other.call, "t", 0))) and not other.conditions
        for other in site.calls("set_default_tensor_type")
    )


def _loaded(given: ast.expr, block: Block) -> ast.expr:
    """What `loaded`, `loaded["model"]` or `loaded.get("model")` is a part of."""
    while True:
        if isinstance(given, ast.Subscript):
            given = given.value
        elif isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "get":
            given = given.func.value
        else:
            value = single_value(given, block)
            if value is None:
                return given
            given = value
