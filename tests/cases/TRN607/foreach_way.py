"""The function has a way for lists of tensors, too: no TRN607."""

import torch


@torch.no_grad()
def update_average(average, model, decay=0.999):
    if torch.cuda.is_available():
        torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - decay)
        return
    for averaged, parameter in zip(average.parameters(), model.parameters()):
        averaged.mul_(decay).add_(parameter, alpha=1 - decay)


def train(model, average, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update_average(average, model)
