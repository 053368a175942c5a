"""Backward passes behind the context, without one that is on, or of somebody who knows."""

import torch


def in_full_precision(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        optimizer.zero_grad()
        with torch.autocast("cuda", enabled=False):
            loss = criterion(model(inputs), targets)
            loss.backward()
        optimizer.step()


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inputs):
        ctx.save_for_backward(inputs)
        return inputs * inputs.sigmoid()

    @staticmethod
    def backward(ctx, gradient):
        (inputs,) = ctx.saved_tensors
        with torch.enable_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
            inputs = inputs.detach().requires_grad_()
            (inputs * inputs.sigmoid()).backward(gradient)
        return inputs.grad
