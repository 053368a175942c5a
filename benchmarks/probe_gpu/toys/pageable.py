"""Copies batches to the device from pageable memory, or from pinned memory."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

defect = sys.argv[1] == "defect"
device = "cuda" if torch.cuda.is_available() else "cpu"
side = 224 if device == "cuda" else 24
torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 64, 7, stride=4), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.Flatten(1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images = TensorDataset(torch.randn(4096, 3, side, side))
loader = DataLoader(images, batch_size=64, num_workers=2, pin_memory=not defect, persistent_workers=True)
for _ in range(8):
    for (batch,) in loader:
        batch = batch.to(device, non_blocking=True)
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
