"""Running means, memory, and the norm of gradients."""

import torch
from torch.func import grad, vmap


class Meter:
    """The mean of what it was given."""

    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        if isinstance(value, torch.Tensor):
            value = value.item()
        self.total += value
        self.count += 1

    @property
    def mean(self):
        return self.total / max(1, self.count)


def report_memory(epoch):
    print(epoch, torch.cuda.memory_reserved() // 2**20, "MiB")


def gradient_norm(model):
    """The norm of all gradients, as a tensor. Nothing is clipped."""
    return torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))


def whitened(features):
    """Features without correlation, for a comparison of towers."""
    covariance = features.T @ features / len(features)
    return features @ torch.linalg.cholesky(covariance.inverse())


def gradients_of_samples(loss, parameters, inputs, targets):
    return vmap(grad(loss), in_dims=(None, 0, 0))(parameters, inputs, targets)
