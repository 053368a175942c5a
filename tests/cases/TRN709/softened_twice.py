"""Classifiers whose scores are softened twice."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(64, 10)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.softmax(self.read(x))


def train(optimizer, train_loader):
    model = Net()
    criterion = nn.CrossEntropyLoss().cuda()
    for images, labels in train_loader:
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)  #! TRN709
        loss.backward()
        optimizer.step()


def probe(features, labels):
    head = nn.Sequential(nn.LazyLinear(10), nn.Softmax(-1)).to("cuda")
    return nn.CrossEntropyLoss(label_smoothing=0.1)(head(features), labels)  #! TRN709


def functional(model, inputs, targets):
    probabilities = torch.softmax(model(inputs), dim=1)
    first = F.cross_entropy(probabilities, targets)  #! TRN709
    return first + F.cross_entropy(model(inputs).softmax(dim=-1), targets)  #! TRN709
