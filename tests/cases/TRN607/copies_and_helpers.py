"""Copies between lists of parameters, averages through a helper, repaired gradients and norms."""

import torch


class Blend:
    def __init__(self, rate):
        self.rate = rate

    def mixed(self, old, new):
        return old * self.rate + (1 - self.rate) * new


def follow(blend, slow_model, model):
    for current, kept in zip(model.parameters(), slow_model.parameters()):  #! TRN607
        new, old = current.data, kept.data
        kept.data = blend.mixed(old, new)


@torch.no_grad()
def follow_in_place(blend, slow_model, model):
    for kept, current in zip(slow_model.parameters(), model.parameters()):  #! TRN607
        kept.copy_(blend.mixed(kept, current.detach()))


@torch.no_grad()
def follow_by_name(blend, slow_model, model):
    weights = dict(model.named_parameters())
    for name, kept in slow_model.named_parameters():  #! TRN607
        mixed = blend.mixed(kept.data, weights[name].data)
        kept.data = mixed


def tied(registry, slow_model, model):
    for kept, current in zip(slow_model.parameters(), model.parameters()):
        kept.tag = registry.pair(kept, current)  # no value of the parameter is computed


class Master:
    """Half-precision weights with float32 copies."""

    def __init__(self, model):
        self.half_params = list(model.parameters())
        self.master_params = [p.detach().clone().float() for p in self.half_params]

    def collect(self, scale):
        for half, full in zip(self.half_params, self.master_params):  #! TRN607
            if half.grad is not None:
                full.grad.data.copy_(half.grad.data)
                full.grad.data.mul_(1 / scale)

    def give_back(self):
        for half, full in zip(self.half_params, self.master_params):  #! TRN607
            if not half.requires_grad:
                continue
            half.data.copy_(full.data)


def whole_norm(parameters):
    parameters = [p for p in parameters if p.grad is not None]
    return torch.norm(torch.stack([torch.norm(p.grad.detach(), 2.0) for p in parameters]), 2.0)  #! TRN607


def added_norm(model):
    total = 0.0
    for weight in model.parameters():  #! TRN607
        total = total + weight.grad.norm() ** 2
    return total


def read_norm(model):
    total = 0.0
    for weight in model.parameters():
        total += weight.grad.norm().item() ** 2  #! TRN201
    return total


def counted(model):
    return sum(p.numel() for p in model.parameters())


def train(model, slow_model, criterion, optimizer, train_loader, registry, outputs):
    blend, master = Blend(0.99), Master(model)
    for inputs, targets in train_loader:
        loss = criterion(model(inputs), targets)
        loss.backward()
        repair(model)
        repair_in_place(model.parameters())
        repair_outputs(outputs, model)
        whole_norm(model.parameters())
        added_norm(model)
        read_norm(model)
        counted(model)
        master.collect(8.0)
        optimizer.step()
        master.give_back()
        follow(blend, slow_model, model)
        follow_in_place(blend, slow_model, model)
        follow_by_name(blend, slow_model, model)
        tied(registry, slow_model, model)
