"""Wrappers that train nothing."""

import torch
from torch import nn
from torch.nn import DataParallel
from torch.nn.parallel import DistributedDataParallel


def bare(net):
    if isinstance(net, (DataParallel, DistributedDataParallel)):
        net = net.module
    return net


def activations(inception, loader, device):
    inception = nn.DataParallel(inception).eval().to(device)
    with torch.no_grad():
        return torch.cat([inception(images.to(device)) for images in loader])


def evaluate(model, loader):
    model = nn.DataParallel(model)
    with torch.no_grad():
        return torch.cat([model(images.cuda(non_blocking=True)) for images in loader])




class GraphParallel(DataParallel):
    pass


class Runner:
    """Runs that are not started with several processes still use all devices."""

    def to_devices(self, net, distributed):
        net = net.cuda()
        if distributed:
            return DistributedDataParallel(net)
        return DataParallel(net)

    def to_all(self, net, rank):
        if rank < 0 and torch.cuda.device_count() > 1:
            net = nn.DataParallel(net)
        elif rank >= 0:
            net = DistributedDataParallel(net, device_ids=[rank])
        return net
