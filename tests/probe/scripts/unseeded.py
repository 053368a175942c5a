"""A training that draws its data from a source that nobody seeds, and saves what it has learnt all the time."""

import random

import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(100):
    inputs = torch.tensor([[random.gauss(0, 1) for _ in range(4)] for _ in range(4)])
    loss = torch.nn.functional.mse_loss(model(inputs), inputs.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.save(model.state_dict(), "weights.pt")
