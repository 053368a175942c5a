"""Each phase has one slow line: the dataset's, a forward's, and a helper's."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        time.sleep(0.01)  # of an item
        return torch.ones(4)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, features):
        time.sleep(0.02)  # of forward
        return self.layer(features)

    def loss(self, features):
        return self(features).mean()


def log(loss):
    time.sleep(0.02)  # of a helper


def train():
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for features in DataLoader(Slow(), batch_size=2):
        loss = model.loss(features)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(loss)


train()
