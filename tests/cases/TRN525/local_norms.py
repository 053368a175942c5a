"""The norm of a piece taken for that of the whole."""

import torch
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.nn.utils import clip_grad_norm_


def train_epoch(model, loader, optimizer, scaler, max_norm):
    for batch in loader:
        loss = model(batch).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = clip_grad_norm_(model.parameters(), max_norm=max_norm)  #! TRN525
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)


def main(build, loader, optimizer_class, scaler, policy, rank):
    model = build()
    model = FSDP(model, auto_wrap_policy=policy, sharding_strategy=ShardingStrategy.SHARD_GRAD_OP, device_id=rank)
    optimizer = optimizer_class(model.parameters())
    for epoch in range(3):
        train_epoch(model, loader, optimizer, scaler, 1.0)


class Trainer:
    def __init__(self, model, policy):
        self.model = model.cuda()
        self.model = FSDP(self.model, auto_wrap_policy=policy)

    def clip(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, error_if_nonfinite=True)  #! TRN525


def listed(build, batches, policy):
    model = FSDP(build(), auto_wrap_policy=policy)
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in batches:
        model(batch).backward()
        params = model.parameters()
        torch.nn.utils.clip_grad_norm_(params, 1.0)  #! TRN525
        optimizer.step()
