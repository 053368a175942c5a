"""Norms of the whole."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy, fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def by_its_own_method(build, policy, args):
    model = FSDP(build(), auto_wrap_policy=policy) if args.fsdp else build()
    if args.fsdp:
        model.clip_grad_norm_(1.0)
    else:
        clip_grad_norm_(model.parameters(), 1.0)


def of_distributed_tensors(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    model(1).backward()
    clip_grad_norm_(model.parameters(), 1.0)


def of_replicas(model, rank):
    model = DDP(model, device_ids=[rank])
    clip_grad_norm_(model.parameters(), 1.0)


def not_sharded(model, strategy):
    first = FSDP(model, sharding_strategy=ShardingStrategy.NO_SHARD)
    clip_grad_norm_(first.parameters(), 1.0)
    second = FSDP(model, sharding_strategy=strategy)
    clip_grad_norm_(second.parameters(), 1.0)


def by_value(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    clip_grad_value_(model.parameters(), 1.0)


def of_another_model(model, critic, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    clip_grad_norm_(critic.parameters(), 1.0)


def wrapped_by_one_branch(model, args, policy):
    if args.sharded:
        model = FSDP(model, auto_wrap_policy=policy)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
