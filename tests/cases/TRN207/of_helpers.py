"""What helpers make is moved once, made on the device, pinned, or stays on the host; what they get is copied."""

import detector_ops
import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import nn

TABLES = {}


def triangle(length, device=None):
    return torch.tril(torch.ones(length, length, device=device)).bool()[None]


def noise(count):
    return torch.randn(count, 8).pin_memory()


def table(size, device):
    global TABLES
    if size not in TABLES:
        TABLES[size] = torch.from_numpy(np.hanning(size)).to(device)
    return TABLES[size]


def keep_best(boxes, limit):
    keep = torch.zeros(boxes.size(0), dtype=torch.long)
    count = detector_ops.suppress(boxes, keep, limit)
    return boxes[keep[:count].cuda()]  #! TRN207


def pairs(costs):
    rows, columns = linear_sum_assignment(costs)
    return torch.from_numpy(rows).to(costs.device), torch.from_numpy(columns).to(costs.device)  #! TRN207


def add_offsets(cells, offsets):
    return (cells + offsets.to(cells.device)).sum()  #! TRN207


class Mixer(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.table = triangle(length).cuda()
        self.cache = {}

    def forward(self, cells):
        seen = triangle(cells.size(1), cells.device).to(cells.device)
        if cells.size(1) not in self.cache:
            self.cache[cells.size(1)] = triangle(cells.size(1)).to(cells.device)
        kept = triangle(8).to(torch.float32).sum().numpy()
        cells = keep_best(cells, 0.5) * table(8, cells.device)
        rows, columns = pairs(cells)
        extra = noise(4).to(cells.device, non_blocking=True)
        return self.layer(cells).masked_fill(seen, 0.0) + extra.sum() + kept + rows + columns


@torch.no_grad()
def sample(model, count):
    start = triangle(count).cuda()
    return model(start)


def train(loader):
    model = Mixer(64, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    seen = triangle(8).cuda()
    table = triangle(64)
    for step, cells in enumerate(loader):
        cells = cells.cuda(non_blocking=True)
        loss = model(cells).masked_fill(seen, 0.0).sum()
        loss = loss + add_offsets(cells, table)
        if step % 500 == 0:
            sample(model, 4)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
