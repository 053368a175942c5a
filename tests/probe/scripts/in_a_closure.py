"""As Lightning does: the whole step runs in the closure of the optimizer, and logs there."""

import time

import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def closure():
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    time.sleep(0.02)  # logs
    return loss


for number in range(60):
    if number % 2:
        optimizer.step(closure)
    else:
        optimizer.step(closure=closure)
