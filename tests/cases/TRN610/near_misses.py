"""Optimizers that may be built before the move, and Adagrads that are not."""

import torch
from torch import nn, optim


def others(model, device):
    optimizer = optim.AdamW(model.parameters())
    model.to(device)
    return optimizer


def in_order(model, device):
    model.to(device)
    optimizer = optim.Adagrad(model.parameters())
    model.to(torch.bfloat16)
    return optimizer


def another_model(model, teacher, device):
    optimizer = optim.Adagrad(model.parameters())
    teacher.to(device)
    return optimizer


def resumed(model, checkpoint, device):
    optimizer = optim.Adagrad(model.parameters())
    model.to(device)
    optimizer.load_state_dict(checkpoint["optimizer"])
    return optimizer


def chosen(model, name, device):
    kinds = {"adagrad": optim.Adagrad, "adam": optim.Adam}
    optimizer = kinds[name](model.parameters())
    model.to(device)
    return optimizer, nn.Identity()
