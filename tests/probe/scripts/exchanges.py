"""Two ranks that exchange numbers. How much of a step that is depends on the first argument: for how many milliseconds
a step sleeps. The second says whether the model uses `both` of its halves, or the `first`.
"""

import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
uses_both = sys.argv[2] == "both"


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, inputs):
        return self.second(self.first(inputs)) if uses_both else self.first(inputs)


model = DistributedDataParallel(Halves(), find_unused_parameters=True, gradient_as_bucket_view=not uses_both)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
large = torch.ones(1_000_000)
for _ in range(300):
    optimizer.zero_grad()
    for _ in range(2):
        model(torch.randn(4, 64)).square().mean().backward()
    optimizer.step()
    dist.all_reduce(large)
    time.sleep(float(sys.argv[1]) / 1000)
    torch.save(model.state_dict(), "shared.pt")
    torch.save(model.state_dict(), f"rank{rank}.pt")
