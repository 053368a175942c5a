"""Log-probabilities for more than one loss."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(8, 4)

    def forward(self, x):
        return F.log_softmax(self.read(x), dim=1)


def from_the_model(model, inputs, targets):
    return F.nll_loss(model(inputs), targets)


def from_the_model_here(inputs, targets):
    model = Net()
    return F.nll_loss(model(inputs), targets)


def used_twice(logits, targets):
    log_probabilities = F.log_softmax(logits, dim=1)
    entropy = -(log_probabilities.exp() * log_probabilities).sum(1).mean()
    return F.nll_loss(log_probabilities, targets) - 0.01 * entropy


def in_single_precision(logits, targets):
    return F.nll_loss(F.log_softmax(logits, dim=1, dtype=torch.float32), targets)


def of_probabilities(logits, targets):
    return F.nll_loss(torch.log(F.softmax(logits, dim=1) + 1e-6), targets)


def other_dimension(logits, targets):
    return F.nll_loss(F.log_softmax(logits, dim=0), targets)
