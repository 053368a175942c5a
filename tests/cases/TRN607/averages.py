"""Moving averages and target networks, as training code keeps them by hand."""

import copy
from collections import OrderedDict

import torch
from torch import nn


class Average:
    """A copy of a model that follows it."""

    def __init__(self, model, decay=0.9998):
        self.copy = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        current = model.state_dict()
        for name, value in self.copy.state_dict().items():  #! TRN607
            if value.dtype.is_floating_point:
                value *= self.decay
                value += (1 - self.decay) * current[name].detach()


@torch.no_grad()
def follow(slow, fast, rate=0.995):
    slow_weights = OrderedDict(slow.named_parameters())
    fast_weights = OrderedDict(fast.named_parameters())
    for name, weight in fast_weights.items():  #! TRN607
        slow_weights[name].mul_(rate).add_(weight.data, alpha=1 - rate)


def update_averages(target_params, source_params, rate=0.99):
    for target, source in zip(target_params, source_params):  #! TRN607
        target.detach().lerp_(source, 1 - rate)


class Shadow(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.names = {name: name.replace(".", "_") for name, _ in model.named_parameters()}
        for name, parameter in model.named_parameters():
            self.register_buffer(self.names[name], parameter.detach().clone())

    def forward(self, model):
        weights = dict(model.named_parameters())
        shadows = dict(self.named_buffers())
        with torch.no_grad():
            for name in weights:  #! TRN607
                shadow = self.names[name]
                shadows[shadow].sub_(0.001 * (shadows[shadow] - weights[name]))


class Momentum(nn.Module):
    """A momentum encoder, updated in each forward of the training."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.slow = copy.deepcopy(encoder)

    @torch.no_grad()
    def momentum_update(self):
        for parameter, slow in zip(self.encoder.parameters(), self.slow.parameters()):  #! TRN607
            slow.data = slow.data * 0.995 + parameter.data * 0.005


def train(model, slow, criterion, optimizer, train_loader, device):
    average = Average(model)
    shadow = Shadow(model)
    momentum = Momentum(model)
    for inputs, targets in train_loader:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        follow(slow, model)
        shadow(model)
        momentum.momentum_update()
