"""New names, types that are only asked for, and code for several versions."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import init
from torch.nn.utils.parametrizations import weight_norm
from torchvision.transforms import ToTensor, v2

try:
    from torch._six import string_classes
except ImportError:
    string_classes = (str, bytes)

if torch.__version__.startswith("1"):
    from torch._six import inf
else:
    from torch import inf

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


def start(module, value):
    init.normal_(module.weight, std=0.02)
    init.constant_(module.bias, 0)
    return torch.normal(0.0, 1.0, (3,)), value.uniform(), isinstance(value, torch.cuda.LongTensor)


def dtype(device):
    try:
        return torch.get_autocast_dtype(device)
    except TypeError:
        return torch.get_autocast_gpu_dtype()


def reduced(value):
    dist.all_reduce(value, op=dist.ReduceOp.SUM)
    return F.interpolate(value.type(Tensor), scale_factor=2), nn.Upsample(scale_factor=2), inf, string_classes


def tests(a, b):
    torch.testing.assert_close(a, b)
    return weight_norm(nn.Linear(2, 2)), ToTensor(), v2.ToImage(), a.view(-1).type(torch.cuda.FloatTensor)
