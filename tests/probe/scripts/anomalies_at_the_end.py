"""Writes after each step whether anomaly detection is on."""

import pathlib

import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
torch.autograd.set_detect_anomaly(True)  # anomalies
with pathlib.Path("states.txt").open("w", buffering=1) as states:
    for _ in range(2000):
        model(torch.ones(2, 4)).mean().backward()
        states.write(f"{torch.is_anomaly_enabled()}\n")
        optimizer.step()
        optimizer.zero_grad()
