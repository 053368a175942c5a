"""Iterators of torchtext that are given a device make their batches there."""

import torch
from torch import nn
from torchtext.data import BucketIterator


def feeds(data, device):
    return BucketIterator(data, batch_size=64, device=device, train=True), BucketIterator(data, batch_size=64)


def train(model, optimizer, data, device):
    placed, left = feeds(data, device)
    for batch in placed:
        loss = nn.functional.cross_entropy(model(batch.text.to(device)), batch.label.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
