"""Mixed precision is an option of the program, and a solver that is kept in float64."""

import argparse
from contextlib import nullcontext

import torch
from torch import nn

from pictures import train_loader

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
args = parser.parse_args()
model = nn.Sequential(nn.Conv2d(3, 128, 3), nn.Flatten(), nn.LazyLinear(10)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for images, labels in train_loader:
    images = images.cuda(non_blocking=True)
    labels = labels.cuda(non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16) if args.amp else nullcontext():
        loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
