"""Backward passes behind the context, without one that is on, or of somebody who knows."""

from contextlib import nullcontext

import torch


def train(model, criterion, optimizer, loader, plain):
    context = nullcontext() if plain else torch.autocast("cuda", dtype=torch.bfloat16)
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        optimizer.zero_grad()
        with context:
            loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()


def in_full_precision(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        optimizer.zero_grad()
        with torch.autocast("cuda", enabled=False):
            loss = criterion(model(inputs), targets)
            loss.backward()
        optimizer.step()


def managed(accelerator, fabric, model, criterion, optimizer, loader):
    for inputs, targets in loader:
        optimizer.zero_grad()
        with accelerator.autocast():
            loss = criterion(model(inputs), targets)
        accelerator.backward(loss)
        with fabric.autocast():
            fabric.backward(criterion(model(inputs), targets))
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
