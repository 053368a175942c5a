"""Called by whom this file does not show."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(network, loader, rank):
    model = DDP(network, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.module.state_dict(), "model.pt")
