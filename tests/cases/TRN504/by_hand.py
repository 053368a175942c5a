"""Gradients that are reduced one parameter at a time."""

import torch.distributed as dist


def average_gradients(model):
    size = dist.get_world_size()
    for parameter in model.parameters():
        if parameter.grad is not None:
            dist.all_reduce(parameter.grad.data, op=dist.ReduceOp.SUM)  #! TRN504
            parameter.grad.data /= size


def by_list(model):
    gradients = [parameter.grad for parameter in model.parameters()]
    for gradient in gradients:
        dist.reduce(gradient.grad, dst=0)  #! TRN504


def local_sgd(model, criterion, optimizer, loader):
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for parameter in model.parameters():
            dist.all_reduce(parameter.data)  #! TRN504
