"""Optimizers, schedules and the average of weights."""

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


def make_optimizer(model, lr):
    """Without weight decay for biases and norms."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.98), fused=True)


def make_embedding_optimizer(embeddings, lr=0.01):
    embeddings.cuda()
    return torch.optim.Adagrad(embeddings.parameters(), lr=lr)


def make_plateau(optimizer):
    return ReduceLROnPlateau(optimizer, mode="max", patience=3)


@torch.no_grad()
def update_average(average, model, decay=0.9998):
    """Move the averaged weights a little towards the model's."""
    averaged = list(average.parameters())
    torch._foreach_mul_(averaged, decay)
    torch._foreach_add_(averaged, list(model.parameters()), alpha=1 - decay)
