"""Trains, and keeps of its steps what the first argument says."""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

what = sys.argv[1]
torch.manual_seed(0)


class Samples(Dataset):
    """Each made once, where they are cached."""

    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 8192

    def __getitem__(self, place):
        if what != "samples":
            return torch.randn(64)
        if place not in self.cache:
            self.cache[place] = torch.randn(64)
        return self.cache[place]


class Circle:
    """Refers to itself, so that Python's collector alone can free it."""

    def __init__(self, loss):
        self.itself = self
        self.loss = loss


images = what == "shapes"  # of each batch, for which oneDNN compiles anew
model = (
    nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    if images
    else nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
)
optimizer = torch.optim.AdamW(model.parameters())
losses, total = [], 0
for step, batch in enumerate(DataLoader(Samples(), batch_size=32)):
    if images:
        batch = torch.randn(8, 3, 20 + step, 60 - step // 3)
    output = model(batch)
    loss = output.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if what == "losses":
        losses.append(loss)
    elif what == "sum":
        total = total + loss
    elif what == "outputs":
        losses.append(output.detach())
    elif what == "numbers":
        losses.append({"step": step, "loss": loss.item()})
    elif what == "circles":
        Circle(loss)
    if step % 10 == 9:
        with torch.no_grad():
            model(batch)
    time.sleep(0.005)
    if step == 120:
        break
