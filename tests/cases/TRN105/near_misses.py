"""Divided or capped."""

import os

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def main(model, optimizer, dataset, sampler, args):
    model = DistributedDataParallel(model)
    shared = os.cpu_count() // torch.cuda.device_count()
    capped = min(8, os.cpu_count())
    yield DataLoader(dataset, 8, sampler=sampler, num_workers=shared, pin_memory=True)
    yield DataLoader(dataset, 8, sampler=sampler, num_workers=capped, pin_memory=True)
    yield DataLoader(dataset, 8, sampler=sampler, num_workers=args.workers, pin_memory=True)
    yield DataLoader(dataset, 8, sampler=sampler, num_workers=16, pin_memory=True)
