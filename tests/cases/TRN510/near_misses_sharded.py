"""Shards by one of two wrappers, of which the script chooses."""

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP


def train(network, criterion, optimizer, loader, accumulate, rank, shard):
    model = FSDP(network) if shard else DDP(network, device_ids=[rank])
    for step, (images, labels) in enumerate(loader):
        criterion(model(images), labels).backward()
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
