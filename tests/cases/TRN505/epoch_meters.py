"""A barrier before a collective that runs once an epoch costs nothing that anyone notices."""

import torch
import torch.distributed as dist


class Meter:
    def __init__(self):
        self.count, self.total = 0, 0.0

    def synchronize(self):
        totals = torch.tensor([self.count, self.total], dtype=torch.float64, device="cuda")
        dist.barrier()
        dist.all_reduce(totals)
        self.count, self.total = totals.unbind()


def train(model, optimizer, loader, epochs):
    for _ in range(epochs):
        meter = Meter()
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        meter.synchronize()
