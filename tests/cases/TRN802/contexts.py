"""Contexts that choose attention kernels, in the names of PyTorch 2.0."""

import torch
import torch.nn.functional as F
from torch.backends.cuda import sdp_kernel


def decode(model, tokens, position):
    with torch.backends.cuda.sdp_kernel(  #! TRN802
        enable_flash=False, enable_mem_efficient=False, enable_math=True
    ):
        return model(tokens, position)


class Attention(torch.nn.Module):
    def __init__(self, deterministic):
        super().__init__()
        self.kernels = {"enable_flash": True, "enable_math": not deterministic}

    def forward(self, q, k, v):
        with sdp_kernel(**self.kernels):  #! TRN802
            return F.scaled_dot_product_attention(q, k, v)


def reference(q, k, v):
    with torch.autocast("cuda"), sdp_kernel(False, True, False, False):  #! TRN802
        return F.scaled_dot_product_attention(q, k, v)
