"""Models of several units."""

import functools

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy


def by_policy(make, Block, local_rank):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    return FSDP(make(), auto_wrap_policy=policy, device_id=local_rank)


def by_options(make, options):
    return FSDP(make(), **options)


def replicated(make):
    return FSDP(make(), sharding_strategy=ShardingStrategy.NO_SHARD)


def a_layer_alone():
    return FSDP(torch.nn.Linear(512, 512))


def one_layer_of_many(layers):
    return [FSDP(layer) for layer in layers]


class Stage(torch.nn.Module):
    def __init__(self, block, encoder):
        super().__init__()
        self.block = FSDP(block)
        self.encoder = FSDP(encoder.to("cuda"))


def a_moved_layer():
    model = torch.nn.Linear(1024, 1024).cuda()
    return FSDP(model)
