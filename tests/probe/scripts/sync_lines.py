"""Eleven calls that read a tensor; each is marked with what it should be seen as."""

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent))
from sync_helper import read_in_a_helper

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []


def loss_of(inputs):
    return model(inputs).square().mean()


for _ in range(200):
    loss = loss_of(torch.ones(2, 4))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())  # Tensor.item
    value = (
        loss.detach()
        .cpu()  # Tensor.cpu
        .numpy()  # Tensor.numpy
    )
    text = f"{loss:.3f}"  # Tensor.item
    if loss > 1e9:  # Tensor.__bool__
        break
    values = [item.tolist() for item in (loss, loss)]  # Tensor.tolist
    read = lambda tensor: float(tensor)  # Tensor.__float__  # noqa: E731
    read(loss)
    total = sum(item.item() for item in (loss,))  # Tensor.item
    whole = int(loss)  # Tensor.__int__
    where = torch.nonzero(loss > 0)  # torch.nonzero
    read_in_a_helper(loss)
