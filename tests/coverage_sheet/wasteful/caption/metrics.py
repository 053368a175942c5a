"""Running means, memory, and the norm of gradients."""

import torch
from functorch import grad, vmap


class Meter:
    """The mean of what it was given."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        if isinstance(value, torch.Tensor):
            value = value.item()  #! TRN201
        self.total += value
        self.count += 1

    @property
    def mean(self):
        return self.total / max(1, self.count)


def report_memory(epoch):
    print(epoch, torch.cuda.memory_cached() // 2**20, "MiB")  #! TRN812


def gradient_norm(model):
    """The norm of all gradients."""
    squares = 0.0
    for parameter in model.parameters():
        if parameter.grad is not None:
            squares += parameter.grad.norm().item() ** 2  #! TRN201
    return squares**0.5


def whitened(features):
    """Features without correlation, for a comparison of towers."""
    covariance = features.T @ features / len(features)
    return features @ torch.cholesky(covariance.inverse())  #! TRN804


def gradients_of_samples(loss, parameters, inputs, targets):
    return vmap(grad(loss), in_dims=(None, 0, 0))(parameters, inputs, targets)  #! TRN812
