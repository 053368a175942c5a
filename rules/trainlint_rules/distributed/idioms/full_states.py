"""Whole state dicts of sharded models, and where they are put together."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, names_in, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.contract.guard import guard

_OF_FSDP1 = ("state_dict_type", "set_state_dict_type")
_OF_FSDP2 = ("get_state_dict", "get_model_state_dict")
ASKING_FOR_STATES = tuple(
    f"torch.distributed.{module}.*.{name}" for module in ("fsdp", "checkpoint") for name in (*_OF_FSDP1, *_OF_FSDP2)
)
"""For `on`: what says how the state of a sharded model is put together, by FSDP and by `fully_shard`."""
_GATHERS = frozenset({"state_dict", "optim_state_dict", "full_optim_state_dict"})
"""Methods that put a whole state together, where loading one does not."""


@dataclass(frozen=True, slots=True)
class FullState:
    """A whole state dict. Options are None where they come from elsewhere."""

    by_setting: bool
    """Whether it is asked for by a setting of FSDP, under which states are gathered or loaded."""
    offloaded: bool | None
    """Whether it is put together on the CPU."""
    one_rank: bool | None
    """Whether only rank 0 keeps it."""


@guard
def offloaded_to_one_rank(site: Site) -> bool:
    """The state is offloaded to the CPU of one rank."""
    state = full_state(site)
    return state is not None and state.offloaded is True and state.one_rank is True


@guard
def options_from_elsewhere(site: Site) -> bool:
    """`**kwargs` may set it."""
    state = full_state(site)
    unknown = state is not None and None in (state.offloaded, state.one_rank)
    return unknown or has_unpacked_arguments(site.call)


@guard
def only_loads(site: Site) -> bool:
    """The code only loads a state under the setting."""
    if last_name(site.call.func) not in _OF_FSDP1:
        return False
    for block in site.file.outline.blocks:
        if isinstance(block.node, ast.With) and any(item.context_expr is site.call for item in block.node.items):
            inside = (part for statement in block.node.body for part in nodes_in(statement))
            return not any(isinstance(part, ast.Call) and last_name(part.func) in _GATHERS for part in inside)
    return not any(name in site.file.outline.calls for name in _GATHERS)


def full_state(site: Site) -> FullState | None:
    """The whole state dict that a call asks for; None for sharded and local ones, and where it cannot be told."""
    return _of_fsdp1(site) if last_name(site.call.func) in _OF_FSDP1 else _of_fsdp2(site)


def _of_fsdp1(site: Site) -> FullState | None:
    kind = argument(site.call, "state_dict_type", 1)
    if kind is None or "FULL_STATE_DICT" not in names_in(kind):
        return None
    given = _resolved(site, argument(site.call, "state_dict_config", 2))
    if given is None or constant(given) is None:
        return FullState(True, offloaded=False, one_rank=False)
    if not isinstance(given, ast.Call) or last_name(given.func) != "FullStateDictConfig":
        return FullState(True, offloaded=None, one_rank=None)
    return FullState(True, offloaded=_switch(given, "offload_to_cpu", 0), one_rank=_switch(given, "rank0_only", 1))


def _of_fsdp2(site: Site) -> FullState | None:
    given = _resolved(site, argument(site.call, "options"))
    if not isinstance(given, ast.Call) or last_name(given.func) != "StateDictOptions":
        return None
    whole = _switch(given, "full_state_dict", 0)
    return FullState(False, offloaded=_switch(given, "cpu_offload", 1), one_rank=True) if whole else None


def _resolved(site: Site, node: ast.expr | None) -> ast.expr | None:
    """What is given, or what the one assignment of a name gave it."""
    return (single_value(node, site.block) or node) if isinstance(node, ast.Name) else node


def _switch(call: ast.Call, name: str, place: int) -> bool | None:
    """A literal option, off where it is not given; None for one that comes from elsewhere."""
    if has_unpacked_arguments(call):
        return None
    given = argument(call, name, place)
    value = False if given is None else constant(given)
    return value if isinstance(value, bool) else None
