"""A network that only answers."""

import torch
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


@torch.no_grad()
def predict(dataset, sampler, rank):
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, num_workers=4, pin_memory=True)
    model = DDP(torchvision.models.resnet18().to(rank), device_ids=[rank])
    model.eval()
    return [model(inputs.to(rank, non_blocking=True)) for inputs, _ in loader]
