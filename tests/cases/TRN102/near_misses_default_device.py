"""Tensors that are made on the device cannot be pinned, and their batches need no copy."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_default_device("cuda")
points = torch.randn(4096, 3)
classes = torch.randint(0, 2, (4096,))
generator = torch.Generator(device="cuda")
loader = DataLoader(TensorDataset(points, classes), batch_size=256, shuffle=True, generator=generator)
model = nn.Linear(3, 2)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(3):
    for inputs, targets in loader:
        inputs, targets = inputs.to("cuda"), targets.to("cuda")
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
