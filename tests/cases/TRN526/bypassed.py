"""Forwards that DDP never sees."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def by_attribute(network, criterion, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, labels in loader:
        logits = model.module(images)  #! TRN526
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def by_name(network, criterion, optimizer, loader, rank):
    model = DDP(network.cuda(rank), device_ids=[rank])
    bare = model.module
    for images, labels in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(bare(images), labels)  #! TRN526
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, network, optimizer, rank):
        self.model = DDP(network, device_ids=[rank])
        self.optimizer = optimizer

    def run(self, loader):
        for images, labels in loader:
            output = self.model.module.forward(images, labels)  #! TRN526
            self.optimizer.zero_grad()
            output.loss.backward()
            self.optimizer.step()
