"""Norms of single tensors."""

import torch
from torch.nn.utils import clip_grad_norm_


def train(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        for p in model.parameters():
            clip_grad_norm_(p, 1.0)  #! TRN611
        optimizer.step()


def train_named(model, criterion, optimizer, train_loader, limit):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        for name, parameter in model.named_parameters():
            if "norm" not in name:
                torch.nn.utils.clip_grad_norm_([parameter], limit)  #! TRN611
        optimizer.step()
