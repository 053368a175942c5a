"""Wrappers that search for nothing, or for what was computed."""

from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def by_default(model, rank):
    return DDP(model, device_ids=[rank])


def switched_off(model, rank):
    return DDP(model, device_ids=[rank], find_unused_parameters=False)


def from_an_option(model, rank, args):
    return DDP(model, device_ids=[rank], find_unused_parameters=args.find_unused)


def computed(model, rank):
    recurrent = any(isinstance(layer, nn.LSTM) for layer in model.modules())
    return DDP(model, device_ids=[rank], find_unused_parameters=recurrent)


def found_once(model, rank):
    return DDP(model, device_ids=[rank], find_unused_parameters=True, static_graph=True)


def other_wrapper(model, find_unused_parameters=True):
    return model.wrap(find_unused_parameters=find_unused_parameters)
