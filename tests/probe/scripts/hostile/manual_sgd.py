"""Updates its parameters by hand."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 1)
loader = DataLoader(TensorDataset(torch.randn(40, 4)), batch_size=2)
for _ in range(100):
    for (inputs,) in loader:
        model.zero_grad()
        model(inputs).square().mean().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.01 * parameter.grad
