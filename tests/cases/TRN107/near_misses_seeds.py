"""Each process draws in an order of its own, on purpose."""

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def main(model, criterion, optimizer, seed, rank):
    torch.manual_seed(seed + rank)
    model = DistributedDataParallel(model)
    loader = DataLoader(ImageFolder("train"), 64, shuffle=True, num_workers=8, pin_memory=True)
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(*prepared())
