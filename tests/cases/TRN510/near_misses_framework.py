"""DeepSpeed reduces gradients in this file."""

import deepspeed
from torch.nn.parallel import DistributedDataParallel as DDP


def train(network, teacher, criterion, optimizer, loader, accumulate, rank, config):
    model = DDP(network, device_ids=[rank])
    engine, _, _, _ = deepspeed.initialize(model=teacher, config=config)
    for step, images in enumerate(loader):
        criterion(model(images), engine(images)).backward()
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
