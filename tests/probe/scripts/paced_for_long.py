"""A training of a thousand steps, with a loader, a clipping and a value that is read."""

import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.AdamW(model.parameters())
for (features,) in DataLoader(TensorDataset(torch.ones(4000, 4)), batch_size=4):
    loss = model(features).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    loss.item()
