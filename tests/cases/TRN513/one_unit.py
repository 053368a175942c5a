"""Models that are one unit."""

import torch
from torch.distributed.fsdp import BackwardPrefetch, MixedPrecision
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def classic(make, local_rank):
    model = make().to(local_rank)
    model = FSDP(  #! TRN513
        model,
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16),
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,
        device_id=local_rank,
    )
    return model


def with_an_empty_policy(make, local_rank):
    model = make()
    return FSDP(model, auto_wrap_policy=None, device_id=local_rank)  #! TRN513
