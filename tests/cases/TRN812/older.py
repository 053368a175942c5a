"""Names of several ages."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._six import container_abcs, inf  #! TRN812
from torch.nn import init
from torch.nn.utils import clip_grad_norm, weight_norm  #! TRN812
from torch.testing import assert_allclose


def start(module):
    if isinstance(module, nn.Conv2d):
        init.kaiming_normal(module.weight, mode="fan_out")  #! TRN812
        init.constant(module.bias, 0)  #! TRN812
    elif isinstance(module, nn.Linear):
        nn.init.xavier_uniform(module.weight)  #! TRN812


def mask(lengths):
    longest = int(lengths.max())
    ids = torch.arange(0, longest, out=torch.cuda.LongTensor(longest))  #! TRN812
    return ids < lengths.unsqueeze(1)


class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = weight_norm(nn.Conv1d(80, 512, 7))  #! TRN812
        self.up = nn.UpsamplingBilinear2d(scale_factor=2)  # only documented as deprecated

    def forward(self, x):
        return F.upsample(self.up(self.first(x)), scale_factor=4, mode="bilinear")  #! TRN812


def check(a, b):
    assert_allclose(a, b)  #! TRN812
    return torch.rfft(a, 1), isinstance(a, container_abcs.Mapping), inf  #! TRN812


print(torch.has_cuda)  #! TRN812
