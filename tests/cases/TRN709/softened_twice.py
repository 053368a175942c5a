"""Classifiers whose scores are softened twice."""

import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    """Says whether an image is real, and of which class it is."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 32)
        self.validity = nn.Sequential(nn.Linear(32, 1), nn.Sigmoid())
        self.label = nn.Sequential(nn.Linear(32, 10), nn.Softmax(dim=1))

    def forward(self, x):
        x = self.body(x)
        validity = self.validity(x)
        label = self.label(x)
        return validity, label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(64, 10)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        return self.softmax(self.read(x))


auxiliary_loss = nn.CrossEntropyLoss()
critic = Critic().cuda()


def train_critic(optimizer, train_loader):
    for images, labels in train_loader:
        optimizer.zero_grad()
        validity, predicted = critic(images)
        loss = validity.mean() + auxiliary_loss(predicted, labels)
        loss.backward()
        optimizer.step()


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
