"""Optimizers of the parameters that are trained."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def original_parameters(model, policy):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    return model, optimizer


def built_again(model, warm_up, policy):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up(model, optimizer)
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, optimizer
