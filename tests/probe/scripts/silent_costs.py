"""Two costs that dwarf the training: a collection of garbage, and anomaly detection, in each step."""

import gc

import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
kept = [{} for _ in range(100_000)]
torch.autograd.set_detect_anomaly(True)  # anomalies
for _ in range(100):
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    gc.collect()  # collected
