"""A loader of torchdata, which keeps its place."""

import torch
from torch import nn
from torch.utils.data import TensorDataset
from torchdata.stateful_dataloader import StatefulDataLoader

loader = StatefulDataLoader(TensorDataset(torch.randn(400, 4)), batch_size=4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for (inputs,) in loader:
    optimizer.zero_grad()
    model(inputs).square().mean().backward()
    optimizer.step()
