"""Whole states where they do not fit."""

import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, get_state_dict
from torch.distributed.fsdp import FullOptimStateDictConfig, FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

ON_ALL_RANKS = FullStateDictConfig(offload_to_cpu=True)


def on_each_device(model, optimizer):
    with FSDP.state_dict_type(  #! TRN515
        model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True), FullOptimStateDictConfig()
    ):
        return model.state_dict(), FSDP.optim_state_dict(model, optimizer)


def on_each_host(model):
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, ON_ALL_RANKS):  #! TRN515
        return model.state_dict()


def set_once(model):
    FSDP.set_state_dict_type(model, StateDictType.FULL_STATE_DICT)  #! TRN515
    return model.state_dict()


def of_distributed_tensors(model, optimizer):
    options = StateDictOptions(full_state_dict=True)
    weights = get_model_state_dict(model, options=options)  #! TRN515
    on_devices = StateDictOptions(full_state_dict=True, cpu_offload=False)
    both = get_state_dict(model, optimizer, options=on_devices)  #! TRN515
    torch.save((weights, both), "model.pt")
