"""A single worker that starts anew: of a loader to train on that is a finding, of one to evaluate with it is not."""

import torch
from torch.utils.data import DataLoader


def train(model, criterion, optimizer, loader):
    model.train()
    for inputs, targets in loader:
        loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, criterion, loader):
    model.eval()
    total = 0
    for inputs, targets in loader:
        total += criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
    return total / len(loader)


def main(model, criterion, optimizer, images, held_out, more):
    options = {"num_workers": 1, "pin_memory": True}
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=1, pin_memory=True)  #! TRN103
    few = DataLoader(held_out, batch_size=64, **options)
    many = DataLoader(more, batch_size=64, num_workers=4, pin_memory=True)  #! TRN103
    for epoch in range(90):
        train(model, criterion, optimizer, loader)
        print(epoch, evaluate(model, criterion, few), evaluate(model, criterion, many))
