"""Determinism as an option, by name, by value, or with warnings only; and a run that tunes its algorithms."""

import torch
from lightning import Trainer
from torch.backends import cudnn

from project.seeding import set_seed


def make_deterministic(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


def main(args, module, model, optimizer, train_loader):
    set_seed(args.seed, deterministic=args.deterministic)
    cudnn.benchmark = True
    cudnn.deterministic = args.repeatable
    Trainer(deterministic="warn" if args.check else False).fit(module)
    for inputs, targets in train_loader:
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        optimizer.zero_grad()
