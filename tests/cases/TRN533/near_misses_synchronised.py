"""Statistics over all processes."""

import torch
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def train(dataset, sampler, rank):
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, num_workers=4, pin_memory=True)
    model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torchvision.models.resnet18())
    model = DDP(model.to(rank), device_ids=[rank])
    for inputs, targets in loader:
        loss = (model(inputs.to(rank, non_blocking=True)) - targets.to(rank, non_blocking=True)).square().mean()
        loss.backward()
