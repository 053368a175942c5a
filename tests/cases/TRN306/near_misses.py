"""Gradients that are given up, that are kept for a reason, or that somebody else decides on."""

import torch


def train_by_hand(model, criterion, optimizer, loader, release=True):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad(set_to_none=True)
        model.zero_grad(set_to_none=release)
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
        for name, parameter in model.named_parameters():
            if "embedding" in name:
                parameter.grad.zero_()  # this part is not to be trained
        optimizer.step()


class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def zero_grad(self, set_to_none=False):
        self.optimizer.zero_grad(set_to_none=set_to_none)


class Average(torch.nn.Module):
    def reset(self, size):
        self.total.zero_()
        self.weights[size].fill_(0)


def perturb(model, criterion, images, targets, steps, size):
    noise = torch.zeros_like(images, requires_grad=True)
    for _ in range(steps):
        criterion(model(images + noise), targets).backward()
        noise.data.add_(noise.grad.sign(), alpha=size)
        noise.grad.zero_()
    return noise.detach()
