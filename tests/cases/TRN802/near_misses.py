"""The new context, the switches that stay, and code for two versions."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.backends.cuda.enable_flash_sdp(True)


def attention(q, k, v):
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v)


def kernels(flash):
    if hasattr(torch.nn, "attention"):
        return sdpa_kernel([SDPBackend.FLASH_ATTENTION if flash else SDPBackend.MATH])
    return torch.backends.cuda.sdp_kernel(enable_flash=flash)


try:
    CONTEXT = torch.nn.attention.sdpa_kernel
except AttributeError:
    CONTEXT = torch.backends.cuda.sdp_kernel
