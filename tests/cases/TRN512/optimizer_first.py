"""Optimizers that keep the parameters from before the wrap."""

import functools

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.optim import AdamW


def fine_tune(build, Block, loader, rank):
    model = build()
    optimizer = AdamW(model.parameters(), lr=1e-5)  #! TRN512
    model = model.to(rank)
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    model = FSDP(model.to(rank), auto_wrap_policy=policy, device_id=rank)
    for batch in loader:
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()


def with_groups(model, loader, mesh):
    decayed = [p for n, p in model.named_parameters() if p.dim() > 1]
    others = [p for n, p in model.named_parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-4)  #! TRN512
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1000)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for batch in loader:
        model(batch).backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr)  #! TRN512
        if args.fsdp:
            self.model = FSDP(self.model, auto_wrap_policy=args.policy, use_orig_params=False)
