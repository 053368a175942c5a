"""Gradients that are kept twice."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, model, rank, sampler):
        self.model = DDP(model.cuda(), device_ids=[rank], output_device=rank)  #! TRN530
        self.other = torch.nn.parallel.DistributedDataParallel(sampler, gradient_as_bucket_view=False)  #! TRN530

    def step(self, batch, optimizer):
        loss = self.model(batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
