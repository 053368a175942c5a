"""Settings for the whole run: one backward of two under anomaly detection, and PyTorch's profiler."""

import torch
from torch.profiler import profile

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
with profile():  # profiled
    for _ in range(40):
        for is_looked_at in (True, False):
            with torch.autograd.set_detect_anomaly(is_looked_at):  # anomalies
                model(torch.ones(2, 4)).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
