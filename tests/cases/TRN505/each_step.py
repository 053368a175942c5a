"""Barriers in each step, and before collectives that wait anyhow."""

import torch
import torch.distributed as dist
from accelerate import Accelerator


def train(model, optimizer, loader):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        dist.barrier()  #! TRN505
        optimizer.step()


def when_distributed(model, optimizer, loader):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.is_initialized():
            torch.distributed.barrier()  #! TRN505


def accelerated(model, optimizer, loader, max_norm):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(batch)
        accelerator.backward(loss)
        accelerator.wait_for_everyone()  #! TRN505
        accelerator.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        optimizer.zero_grad()


class Meter:
    def synchronize(self):
        if not dist.is_initialized():
            return
        totals = torch.tensor([self.count, self.total], dtype=torch.float64, device="cuda")  #! TRN207
        dist.barrier()  #! TRN505
        dist.all_reduce(totals)
        self.count, self.total = totals.unbind()


def metered(model, optimizer, loader, meter, group):
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.synchronize()
        gathered([], loss, group)


def train_metered(model, optimizer, loader, group):
    metered(model, optimizer, loader, Meter(), group)


def gathered(parts, part, group):
    dist.barrier(group)  #! TRN505
    dist.all_gather(parts, part, group=group)
    return parts
