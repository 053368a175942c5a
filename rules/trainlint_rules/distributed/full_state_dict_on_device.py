"""TRN515."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, names_in, nodes_in
from trainlint.analysis.syntax.reaching import single_value
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_FSDP1 = frozenset({"state_dict_type", "set_state_dict_type"})
_FSDP2 = frozenset({"get_state_dict", "get_model_state_dict"})
_MODULES = ("torch.distributed.fsdp.", "torch.distributed.checkpoint.")
_GATHERS = frozenset({"state_dict", "optim_state_dict", "full_optim_state_dict"})
"""Methods that put a whole state together, where loading one does not."""


@dataclass(frozen=True, slots=True)
class _Options:
    """What a configuration of a whole state says, as literals."""

    offloaded: bool
    one_rank: bool


class FullStateDictOnDevice(Rule):
    """A sharded model's whole state gathered into the memory of every GPU, or of every process

    ## Why
    A full state dict has all weights at once. By default each rank puts it together on its own GPU, where the shards,
    gradients and activations lie already: a model that was sharded because it fits into no GPU meets its out of memory
    error at the first checkpoint. Offloaded but kept by all ranks, it fills the host: with 8 processes, 8 copies.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp import StateDictType


    def save(model, path, rank):
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
            state = model.state_dict()
        if rank == 0:
            torch.save(state, path)
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import FullStateDictConfig, StateDictType
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def save(model, path, rank):
        config = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, config):
            state = model.state_dict()
        if rank == 0:
            torch.save(state, path)
    ```

    With `fully_shard`: `get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))`,
    which gives it to rank 0 alone. Cheaper still is to gather nothing: `torch.distributed.checkpoint.save` writes the
    shards as they lie.

    ## Stays silent
    Where both options are on, or come from elsewhere; where the state is only loaded under the setting; for sharded and
    local state dicts.

    ## Confirmed by
    A peak of device memory at the save, higher by all parameters of the model than in the steps before.

    ## Gain
    4 bytes a parameter of device memory on every GPU, for weights in float32: 28 GB for 7 billion parameters, by
    arithmetic. Nothing in speed, and nothing for models that would fit anyway.

    ## References
    - `FullStateDictConfig`:
      https://docs.pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullStateDictConfig
    - `StateDictOptions`: https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
    """

    code = "TRN515"
    name = "full-state-dict-on-device"
    severity = Severity.WARNING
    preview = True
    heat_matters = False
    triggers = Triggers(calls=_FSDP1 | _FSDP2)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find whole states that are gathered without both options."""
        if not (site.origin(site.call.func) or "").startswith(_MODULES) or has_unpacked_arguments(site.call):
            return
        sharded = last_name(site.call.func) in _FSDP1
        options = _of_fsdp1(site) if sharded else _of_fsdp2(site)
        if options is None or (options.offloaded and options.one_rank):
            return
        if not options.offloaded:
            what = "puts the whole model together in the memory of every GPU"
        else:
            what = "leaves a copy of the whole model in the host memory of every process"
        how = "`FullStateDictConfig(offload_to_cpu=True, rank0_only=True)`" if sharded else "`cpu_offload=True`"
        yield self.finding(site, f"the state dict of this sharded model {what}; give {how}", confidence=0.85)


def _of_fsdp1(site: Site) -> _Options | None:
    kind = argument(site.call, "state_dict_type", 1)
    if kind is None or "FULL_STATE_DICT" not in names_in(kind) or not _gathers(site):
        return None
    given = _resolved(site, argument(site.call, "state_dict_config", 2))
    if given is None or constant(given) is None:
        return _Options(offloaded=False, one_rank=False)
    if not isinstance(given, ast.Call) or last_name(given.func) != "FullStateDictConfig":
        return None
    offloaded, one_rank = _switch(given, "offload_to_cpu", 0), _switch(given, "rank0_only", 1)
    return None if offloaded is None or one_rank is None else _Options(offloaded, one_rank)


def _of_fsdp2(site: Site) -> _Options | None:
    given = _resolved(site, argument(site.call, "options"))
    if not isinstance(given, ast.Call) or last_name(given.func) != "StateDictOptions":
        return None
    offloaded, whole = _switch(given, "cpu_offload", 1), _switch(given, "full_state_dict", 0)
    return _Options(offloaded, one_rank=True) if whole and offloaded is not None else None


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


def _gathers(site: Site) -> bool:
    """Whether a state is gathered under the setting: inside the `with`, or anywhere in the file behind a setter."""
    for block in site.file.outline.blocks:
        if isinstance(block.node, ast.With) and any(item.context_expr is site.call for item in block.node.items):
            inside = (part for statement in block.node.body for part in nodes_in(statement))
            return any(isinstance(part, ast.Call) and last_name(part.func) in _GATHERS for part in inside)
    return any(name in site.file.outline.calls for name in _GATHERS)
