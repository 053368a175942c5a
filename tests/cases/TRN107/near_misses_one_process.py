"""No process beside this one, or a seed of its own for each."""

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def main(model, criterion, optimizer):
    model = nn.DataParallel(model).cuda()  #! TRN507
    loader = DataLoader(ImageFolder("train"), 64, shuffle=True, num_workers=8, pin_memory=True)
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(*prepared())
