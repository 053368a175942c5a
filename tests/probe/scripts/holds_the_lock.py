"""A step that computes within one call of C, which keeps Python's lock, for far longer than it sleeps."""

import time

import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(30):
    sum(range(10_000_000))  # in one call
    time.sleep(0.03)
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
