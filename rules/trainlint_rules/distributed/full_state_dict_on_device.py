"""TRN515."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Confidence
from trainlint_rules.distributed.idioms.full_states import (
    ASKING_FOR_STATES,
    full_state,
    offloaded_to_one_rank,
    only_loads,
    options_from_elsewhere,
)


class FullStateDictOnDevice(CallRule):
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
    preview = True
    in_tests = True
    on = ASKING_FOR_STATES
    sure = Confidence.LIKELY
    unless = (options_from_elsewhere, offloaded_to_one_rank, only_loads)
    message = "the state dict of this sharded model puts the whole model {where}"
    help = "pass `{options}`"

    def found(self, site: Site) -> Match | None:
        """A whole state dict."""
        state = full_state(site)
        if state is None:
            return None
        where = "into the CPU memory of every process" if state.offloaded else "into the memory of every GPU"
        both = "FullStateDictConfig(offload_to_cpu=True, rank0_only=True)"
        return Match(site, fields={"where": where, "options": both if state.by_setting else "cpu_offload=True"})
