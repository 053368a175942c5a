"""A model in other processes: batches leave through a socket, from whatever memory they lie in."""

import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc
from torch.distributed.optim import DistributedOptimizer
from torch.utils.data import DataLoader


def first_half(x):
    return x.to("cuda:0", non_blocking=True) * 2


def train(dataset, criterion, parameters, optimizer_class):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=2)
    optimizer = DistributedOptimizer(optimizer_class, parameters, lr=0.1)
    for inputs, targets in loader:
        with dist_autograd.context() as context:
            outputs = rpc.rpc_sync("worker1", first_half, args=(inputs,))
            loss = criterion(outputs, targets.to(outputs.device, non_blocking=True))
            dist_autograd.backward(context, [loss])
            optimizer.step(context)
