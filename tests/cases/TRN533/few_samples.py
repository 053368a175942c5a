"""Statistics of a few samples."""

import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

BATCH = 2


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv3d(1, width, 3, bias=False), nn.BatchNorm3d(width), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


def train(dataset, sampler, rank):
    loader = DataLoader(dataset, BATCH, sampler=sampler, num_workers=4, pin_memory=True)
    net = Block(32)
    net = net.to(rank)
    model = DDP(net, device_ids=[rank])  #! TRN533
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader:
        loss = (model(inputs.to(rank, non_blocking=True)) - targets.to(rank, non_blocking=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
