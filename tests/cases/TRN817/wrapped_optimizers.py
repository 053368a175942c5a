"""Optimizers that apex wraps for float16, imported where they are needed, under another name, and by their module."""

import apex.contrib.optimizers
import torch
from apex.fp16_utils import FP16_Optimizer as HalfOptimizer  #! TRN817
from apex.optimizers import FusedAdam


def build(model, scale):
    if scale:
        from apex.optimizers import FP16_Optimizer  #! TRN817

        return FP16_Optimizer(FusedAdam(model.parameters()), static_loss_scale=scale)
    wrap = HalfOptimizer
    return wrap(torch.optim.AdamW(model.parameters(), fused=True))


def build_from_module(model):
    return apex.contrib.optimizers.FP16_Optimizer(FusedAdam(model.parameters()))  #! TRN817
