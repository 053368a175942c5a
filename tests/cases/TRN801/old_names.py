"""Mixed precision by its old names, in the spellings that people use."""

from functools import partial

import torch
from torch.cuda import amp  #! TRN801
from torch.cuda.amp import autocast, custom_bwd, custom_fwd  #! TRN801
from torch.cuda.amp import GradScaler as Scaler  #! TRN801


class Exponential(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @custom_bwd
    def backward(ctx, gradient):
        (result,) = ctx.saved_tensors
        return gradient * result


def train(model, criterion, optimizer, loader, use_amp: bool, scaler: Scaler | None = None):
    scaler = scaler or Scaler(enabled=use_amp)
    for inputs, targets in loader:
        optimizer.zero_grad()
        with autocast(use_amp), torch.enable_grad():
            loss = criterion(model(inputs), targets)
        with amp.autocast(enabled=False):
            loss = loss + model.layer.weight.norm()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


context = partial(torch.cpu.amp.autocast, dtype=torch.bfloat16)  #! TRN801
