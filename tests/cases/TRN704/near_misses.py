"""Wrappers that are built once, and loops over things to compile."""

import functools

import torch
from torch import nn


def before_the_loop(model, criterion, optimizer, train_loader):
    model = torch.compile(model)
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def each_block(model, kwargs):
    for name, block in model.blocks.named_children():
        model.blocks.register_module(name, torch.compile(block, **kwargs))


class Cached(nn.Module):
    def __init__(self, core):
        super().__init__()
        self.core = core
        self._fast = None
        self._by_shape = {}

    def forward(self, x):
        if self._fast is None:
            self._fast = torch.compile(self.core)
        return self._fast(x)


class ByShape(nn.Module):
    def forward(self, x):
        if x.shape not in self.known:
            self.known[x.shape] = torch.compile(self.core)
        return self.known[x.shape](x)


class EarlyReturn(nn.Module):
    def forward(self, x):
        return self.fast()(x)

    def fast(self):
        if self.compiled is not None:
            return self.compiled
        self.compiled = torch.compile(self.core)
        return self.compiled


@functools.lru_cache
def kernel(name):
    return torch.compile(getattr(torch, name))


class Looked(nn.Module):
    def forward(self, x):
        return kernel("tanh")(x)


@torch.compile
def gate(x, y):
    return torch.sigmoid(x) * y


class Gated(nn.Module):
    @torch.compile
    def forward(self, x, y):
        return gate(x, y)


def seeds(build, train):
    for seed in range(5):
        torch.manual_seed(seed)
        model = torch.compile(build())
        train(model)


def after_warm_up(model, criterion, optimizer, train_loader):
    for step, (inputs, targets) in enumerate(train_loader):
        if step == 100:
            model = torch.compile(model)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
