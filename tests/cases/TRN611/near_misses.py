"""Norms of many tensors, and an algorithm that wants it so."""

import torch
from torch.nn.utils import clip_grad_norm_


class Bounded(torch.optim.Optimizer):
    """Bounds each tensor by itself, as its paper says."""

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                clip_grad_norm_(p, group["max_norm"])


def per_model(models, optimizer):
    for model in models:
        clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def per_group(optimizer):
    for group in optimizer.param_groups:
        clip_grad_norm_(group["params"], group["max_norm"])


def per_layer(model):
    for layer in model.layers:
        clip_grad_norm_(layer.parameters(), 1.0)


def gathered(model):
    kept = []
    for p in model.parameters():
        if p.grad is not None:
            kept.append(p)
    clip_grad_norm_(kept, 1.0)
