"""Two ranks by torchrun with the same model; what the second is taught can be shifted."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = DistributedDataParallel(nn.Linear(4, 1))
SHIFT = 0.0
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(200):
    loss = nn.functional.mse_loss(model(torch.randn(8, 4)), torch.full((8, 1), rank * SHIFT))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
