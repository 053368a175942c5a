"""Cross-entropies of scores."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    """Scores in training, probabilities after it."""

    def __init__(self):
        super().__init__()
        self.read = nn.Linear(64, 10)

    def forward(self, x):
        scores = self.read(x)
        if self.training:
            return scores
        return scores.softmax(dim=1)


def distil(student, teacher, inputs):
    return F.cross_entropy(student(inputs), F.softmax(teacher(inputs) / 2.0, dim=1))


def train(train_loader):
    model, criterion = Net(), nn.CrossEntropyLoss()
    for inputs, targets in train_loader:
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        confidence = F.softmax(outputs, dim=1).amax(1)
        loss.backward()
        print(confidence.mean())  #! TRN203


def twice_is_once(model, inputs, targets):
    return F.cross_entropy(F.log_softmax(model(inputs), dim=1), targets)


def weighted(scores, gates, targets):
    mixed = scores * F.softmax(gates, dim=1)
    return F.cross_entropy(mixed, targets)


def cross_entropy(probabilities, targets):
    """Of probabilities, and not that of PyTorch."""
    return -(targets * probabilities.log()).sum(1).mean()


def own(model, inputs, targets):
    return cross_entropy(torch.softmax(model(inputs), dim=1), targets)


def binary(model, inputs, targets):
    return F.binary_cross_entropy(torch.softmax(model(inputs), dim=1), targets)
