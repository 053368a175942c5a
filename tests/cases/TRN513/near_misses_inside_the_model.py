"""A model that wraps its parts itself."""

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Net(torch.nn.Module):
    def __init__(self, body, tail):
        super().__init__()
        self.body = FSDP(body)
        self.tail = tail


def build(body, tail):
    model = Net(body, tail).cuda()
    return FSDP(model)
