"""Bucket sizes far from the usual."""

from torch.nn.parallel import DistributedDataParallel as DDP


def tiny(model, rank):
    return DDP(model, device_ids=[rank], bucket_cap_mb=1)  #! TRN511


def huge(model, rank):
    return DDP(  #! TRN511
        model,
        device_ids=[rank],
        bucket_cap_mb=10000,
    )
