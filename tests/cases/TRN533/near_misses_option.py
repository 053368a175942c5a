"""Statistics over all processes, where an option says so."""

import torch
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def train(dataset, sampler, rank, sync_bn):
    loader = DataLoader(dataset, batch_size=2, sampler=sampler, num_workers=4, pin_memory=True)
    model = torchvision.models.resnet18().to(rank)
    if sync_bn:
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model = DDP(model, device_ids=[rank])
    for inputs, targets in loader:
        loss = (model(inputs.to(rank, non_blocking=True)) - targets.to(rank, non_blocking=True)).square().mean()
        loss.backward()
