"""Optimizers that hold the parameters which the wrapped model trains."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP


def original_parameters(model, policy):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    return model, optimizer


def options_from_elsewhere(model, options):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model = FSDP(model, **options)
    return model, optimizer


def replicated(model, rank):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model = DDP(model, device_ids=[rank])
    return model, optimizer


def built_again(model, loader, policy):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up(model, optimizer, loader)
    model = FSDP(model, auto_wrap_policy=policy)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return model, optimizer


def after_the_wrap(model, mesh):
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return torch.optim.AdamW(model.parameters(), lr=3e-4)


def either_way(model, args):
    if args.sharded:
        fully_shard(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    return optimizer


def for_another_model(generator, discriminator, policy):
    optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-4)
    generator = FSDP(generator, auto_wrap_policy=policy)
    return generator, optimizer


def swapped(model, accelerator_like):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    names = {name: p for name, p in model.named_parameters()}
    fully_shard(model)
    swap_parameters(optimizer, names, dict(model.named_parameters()))
    return optimizer


def in_turn(build, policy):
    model = build("first")
    first = torch.optim.AdamW(model.parameters(), lr=3e-4)
    train(model, first)
    model = build("second")
    model = FSDP(model, auto_wrap_policy=policy)
    return model


def warm_up(model, optimizer, loader): ...


def swap_parameters(optimizer, old, new): ...


def train(model, optimizer): ...
