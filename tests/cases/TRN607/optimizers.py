"""Optimizers of a project: several operations for each parameter, in the loop over groups."""

import torch
from torch.optim.optimizer import Optimizer


class Layerwise(torch.optim.Optimizer):
    """Scales each layer's step by norms, and keeps its momentum under a name of the state."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for weight in group["params"]:  #! TRN607
                change = weight.grad
                if change is None:
                    continue
                change = change.add(weight, alpha=group["weight_decay"])
                ratio = group["trust"] * torch.norm(weight) / torch.norm(change)
                change = change.mul(ratio)
                kept = self.state[weight]
                if "momentum" not in kept:
                    kept["momentum"] = torch.zeros_like(weight)
                momentum = kept["momentum"]
                momentum.mul_(group["momentum"]).add_(change)
                weight.add_(momentum, alpha=-group["lr"])


class HalfAdam(Optimizer):
    """Two moments, unpacked at once, of float32 copies."""

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:  #! TRN607
                if p.grad is None:
                    continue
                grad = p.grad.data.float()
                values = p.data.float()
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["first"], state["second"] = torch.zeros_like(values), torch.zeros_like(values)
                first, second = state["first"], state["second"]
                state["step"] += 1
                first.mul_(0.9).add_(grad, alpha=0.1)
                second.mul_(0.99).addcmul_(grad, grad, value=0.01)
                values.addcdiv_(first, second.sqrt().add(1e-8), value=-group["lr"])
                p.data.copy_(values)


class Signs(torch.optim.Optimizer):
    """One operation for each parameter: an algorithm that nobody rewrites in passing."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad.sign(), alpha=-group["lr"])


class Clock:
    """Counts steps of each parameter, and sets what is no tensor."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.state = {}

    def step(self):
        for group in self.optimizer.param_groups:
            group["lr"] *= 0.99
            for p in group["params"]:
                self.state[p]["step"] += 1
        self.optimizer.step()


def train(model, criterion, train_loader):
    layerwise = Layerwise(model.parameters(), dict(lr=0.1))
    half = HalfAdam(model.parameters(), {})
    signs = Signs(model.parameters(), {})
    clock = Clock(torch.optim.SGD(model.parameters(), 0.1))
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        layerwise.step()
        half.step()
        signs.step()
        clock.step()
