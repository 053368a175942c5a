"""Two ranks by torchrun; the second is slow by itself, and the first waits for it."""

import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(nn.Linear(16, 16))
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(500):
    if rank == 1:
        time.sleep(0.15)
    loss = model(torch.randn(4, 16)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    dist.all_reduce(loss.detach())
