"""Enough samples, or sizes that are given, or no batch norm."""

import torch
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


class Plain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(1, width), nn.LayerNorm(width))


def train(dataset, sampler, rank, size):
    loader = DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=4, pin_memory=True)
    model = DDP(torchvision.models.resnet18().to(rank), device_ids=[rank])
    plain = DDP(Plain(8).to(rank), device_ids=[rank])
    for inputs, targets in loader:
        loss = (model(inputs.to(rank, non_blocking=True)) - targets.to(rank, non_blocking=True)).square().mean()
        loss.backward()
    return plain
