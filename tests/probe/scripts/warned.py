"""An outdated name, of which PyTorch warns once."""

import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    with torch.cuda.amp.autocast(enabled=False):
        loss = model(torch.ones(4, 8)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
