"""Optimizers, schedules and the average of weights."""

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


def make_optimizer(model, lr):
    """Without weight decay for biases and norms."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.98), foreach=False)  #! TRN601


def make_embedding_optimizer(embeddings, lr=0.01):
    optimizer = torch.optim.Adagrad(embeddings.parameters(), lr=lr)
    embeddings.cuda()
    return optimizer


def make_plateau(optimizer):
    return ReduceLROnPlateau(optimizer, mode="max", patience=3, verbose=True)  #! TRN814


@torch.no_grad()
def update_average(average, model, decay=0.9998):
    """Move the averaged weights a little towards the model's."""
    for averaged, parameter in zip(average.parameters(), model.parameters()):  #! TRN607
        averaged.mul_(decay).add_(parameter, alpha=1 - decay)
