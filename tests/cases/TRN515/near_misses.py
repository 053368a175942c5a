"""Whole states on one host, shards, and states that are only loaded."""

import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_model_state_dict,
)
from torch.distributed.fsdp import FullStateDictConfig, ShardedStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def on_one_host(model):
    config = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, config):
        return model.state_dict()


def in_shards(model):
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT, ShardedStateDictConfig()):
        return model.state_dict()


def loaded(model, state):
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
        model.load_state_dict(state)


def as_configured(model, config, kind, options):
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, config.state_dict_config):
        first = model.state_dict()
    with FSDP.state_dict_type(model, kind):
        second = model.state_dict()
    offloaded = FullStateDictConfig(offload_to_cpu=config.world_size > 1, rank0_only=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, offloaded):
        third = model.state_dict()
    return first, second, third, get_model_state_dict(model, options=options)


def of_distributed_tensors(model, optimizer, state):
    whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    shards = get_state_dict(model, optimizer)
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
    dcp.save(shards, checkpoint_id="checkpoint")
    return whole
